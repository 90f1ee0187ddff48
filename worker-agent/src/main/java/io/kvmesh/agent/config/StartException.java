package io.kvmesh.agent.config;

/** The agent can't start; the message is one line that says why. */
final class StartException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StartException(String message) {
    super(message);
  }

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
