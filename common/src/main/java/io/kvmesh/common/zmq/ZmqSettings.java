package io.kvmesh.common.zmq;

/**
 * What all sockets of a process share.
 *
 * @param ioThreads threads that move bytes between queues and connections
 * @param receiveBufferBytes native memory for large frames that were received; what goes beyond is
 *     received on the heap, of which a quarter may be taken, at least 64 MiB; beyond that it is
 *     lost
 * @param sockets how a socket behaves unless told otherwise
 */
public record ZmqSettings(int ioThreads, long receiveBufferBytes, SocketSettings sockets) {

  /** One I/O thread, 64 MiB of receive buffers. */
  public static final ZmqSettings DEFAULT = new ZmqSettings(1, 64L << 20, SocketSettings.DEFAULT);

  /** Checks the numbers. */
  public ZmqSettings {
    if (ioThreads < 1 || receiveBufferBytes < 0) {
      throw new IllegalArgumentException(
          "At least 1 I/O thread and no negative buffers, got %d and %d bytes"
              .formatted(ioThreads, receiveBufferBytes));
    }
  }
}
