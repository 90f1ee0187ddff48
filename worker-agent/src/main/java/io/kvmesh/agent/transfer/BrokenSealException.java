package io.kvmesh.agent.transfer;

/** A frame that wasn't sealed for where it came, or was changed. */
final class BrokenSealException extends Exception {

  private static final long serialVersionUID = 1L;

  BrokenSealException(String message) {
    super(message, null, false, false);
  }
}
