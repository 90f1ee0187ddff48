package io.kvmesh.controller.log;

/** The event log didn't take a record; the cause says why. */
public final class LogUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  LogUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
