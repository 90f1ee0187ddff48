package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.EngineErrorCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request to an agent, which the message names, came to nothing. A miss isn't one. */
public final class EngineClientException extends Exception {

  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** The agent answered with an error code. */
    REFUSED,
    /** No answer came before the deadline. What the agent may have done is taken back. */
    TIMED_OUT,
    /** The connection was lost before the answer came. */
    CONNECTION_LOST,
    /** Too many requests of this client are under way. */
    OVERLOADED,
    /** The agent answered what can't be. */
    BROKEN,
    /** The agent's memory can't be mapped. */
    UNMAPPABLE,
    /** This client is closed. */
    CLOSED
  }

  private final Reason reason;
  private final @Nullable EngineErrorCode code;

  EngineClientException(Reason reason, String message) {
    this(reason, null, message);
  }

  EngineClientException(Reason reason, @Nullable EngineErrorCode code, String message) {
    super(message);
    this.reason = reason;
    this.code = code;
  }

  EngineClientException(Reason reason, String agent, Exception cause) {
    super(agent + ": " + cause, cause);
    this.reason = reason;
    this.code = null;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }

  /** Whether too much was under way, here or at the agent, so that nothing was done. */
  boolean isOverload() {
    return reason == Reason.OVERLOADED || code == EngineErrorCode.OVERLOADED;
  }

  /** The agent's error code, if it refused. */
  public Optional<EngineErrorCode> code() {
    return Optional.ofNullable(code);
  }
}
