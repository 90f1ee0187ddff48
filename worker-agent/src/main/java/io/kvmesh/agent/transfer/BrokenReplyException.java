package io.kvmesh.agent.transfer;

/** A peer's reply that can't be an answer to what was asked. */
final class BrokenReplyException extends Exception {

  private static final long serialVersionUID = 1L;

  BrokenReplyException(String message) {
    super(message, null, false, false);
  }
}
