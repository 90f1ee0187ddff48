package io.kvmesh.agent.memory;

/** The system refused memory; the message says how much and why. */
public final class ArenaException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ArenaException(String message) {
    super(message);
  }

  ArenaException(String message, Throwable cause) {
    super(message, cause);
  }
}
