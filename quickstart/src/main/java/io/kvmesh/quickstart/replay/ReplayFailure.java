package io.kvmesh.quickstart.replay;

/** The system did something that a right one doesn't; the message is one line. */
public final class ReplayFailure extends Exception {

  private static final long serialVersionUID = 1L;

  ReplayFailure(String message) {
    super(message);
  }

  public ReplayFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
