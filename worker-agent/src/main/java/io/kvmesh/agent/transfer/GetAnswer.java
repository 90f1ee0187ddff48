package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.P2PErrorMsg;

/** What came of asking a peer for chunks, once. */
sealed interface GetAnswer {

  /** Gives the receive buffers back. */
  default void release() {}

  /** Whether the same peer may deliver over another connection. */
  default boolean mayBeAskedAnew() {
    return false;
  }

  /** A reply of the right shape. */
  record Delivered(Delivery delivery) implements GetAnswer {
    @Override
    public void release() {
      delivery.close();
    }
  }

  /** The peer answered with an error. */
  record Refused(int code, String detail) implements GetAnswer {

    /** Whether it wants another handshake first. */
    @Override
    public boolean mayBeAskedAnew() {
      return code == P2PErrorMsg.NOT_INITIALIZED;
    }
  }

  /** The connection went away after the request was sent. */
  record Lost(String reason) implements GetAnswer {

    @Override
    public boolean mayBeAskedAnew() {
      return true;
    }
  }

  /** There is no connection, and there will be none soon. */
  record Unreachable(String reason) implements GetAnswer {}

  /** The reply made no sense. */
  record Garbled(String reason) implements GetAnswer {}

  /** The deadline passed first. */
  record Expired() implements GetAnswer {}
}
