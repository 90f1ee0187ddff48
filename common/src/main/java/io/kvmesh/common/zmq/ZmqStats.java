package io.kvmesh.common.zmq;

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
 */
public record ZmqStats(
    int openSockets,
    long handshakeCutOffs,
    long refusedMessages,
    long receiveBufferBytes,
    long heapFallbacks,
    long ioFaults,
    long refusedClients) {}
