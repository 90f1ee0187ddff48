package io.kvmesh.common.zmq;

import java.util.Map;

/**
 * Counters of a process's sockets.
 *
 * @param openSockets sockets now
 * @param handshakeCutOffs connections that ended before their handshake
 * @param refusedMessages messages dropped for too many frames
 * @param receiveBufferBytes native receive memory now
 * @param heapFallbacks large frames received on the heap because that memory was used up
 * @param ioFaults exceptions on the library's I/O threads
 * @param refusedClients connections that were refused since their key isn't allowed
 * @param lostFrames large frames for which there was no memory at all; their messages are dropped
 * @param connections to listening sockets now
 * @param cuts connections to listening sockets that were cut off, by the reason
 */
public record ZmqStats(
    int openSockets,
    long handshakeCutOffs,
    long refusedMessages,
    long receiveBufferBytes,
    long heapFallbacks,
    long ioFaults,
    long refusedClients,
    long lostFrames,
    int connections,
    Map<ConnectionCut, Long> cuts) {

  /** Nobody changes them. */
  public ZmqStats {
    cuts = Map.copyOf(cuts);
  }

  /** Connections that were cut off for this reason. */
  public long cut(ConnectionCut why) {
    return cuts.getOrDefault(why, 0L);
  }
}
