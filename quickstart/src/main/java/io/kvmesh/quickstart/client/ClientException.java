package io.kvmesh.quickstart.client;

/** A request got an error or no answer; the message is one line. */
public final class ClientException extends Exception {

  private static final long serialVersionUID = 1L;

  ClientException(String message) {
    super(message);
  }

  ClientException(String message, Throwable cause) {
    super(message, cause);
  }
}
