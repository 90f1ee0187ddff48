package io.kvmesh.controller.config;

/** A socket that workers use can't be opened. */
final class DoorException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DoorException(String message, Throwable cause) {
    super(message, cause);
  }
}
