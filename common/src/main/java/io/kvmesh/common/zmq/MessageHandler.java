package io.kvmesh.common.zmq;

/** Takes what a socket receives, on the thread that owns the socket. It must not wait. */
@FunctionalInterface
public interface MessageHandler {

  /** A message came. Large frames should be released once they were read. */
  void onMessage(ZmqSocket socket, Multipart message);

  /** A peer's connection to a ROUTER ended; all of its messages came before. */
  default void onPeerGone(ZmqSocket socket, PeerId peer) {}

  /**
   * A DEALER's connection ended; all messages received came before, unanswered requests are lost.
   * The socket connects again by itself, except after a violation of the protocol such as a frame
   * that is too long, and what it is given meanwhile is queued. To be sure of a live connection,
   * make a new socket.
   */
  default void onConnectionLost(ZmqSocket socket) {}
}
