package io.kvmesh.agent.transfer;

/** What came of asking a peer for chunks, once. */
sealed interface GetAnswer {

  /** Gives the receive buffers back. */
  default void release() {}

  /** A reply of the right shape. */
  record Delivered(Delivery delivery) implements GetAnswer {
    @Override
    public void release() {
      delivery.close();
    }
  }

  /** The peer answered with an error. */
  record Refused(int code, String detail) implements GetAnswer {}

  /** The connection went away after the request was sent. */
  record Lost(String reason) implements GetAnswer {}

  /** There is no connection, and there will be none soon. */
  record Unreachable(String reason) implements GetAnswer {}

  /** The reply made no sense. */
  record Garbled(String reason) implements GetAnswer {}

  /** The deadline passed first. */
  record Expired() implements GetAnswer {}
}
