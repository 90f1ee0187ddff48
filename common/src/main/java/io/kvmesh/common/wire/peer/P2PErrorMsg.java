package io.kvmesh.common.wire.peer;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/** A request failed; the code is one of the constants. */
public record P2PErrorMsg(int errorCode, @Extension @Nullable String detail) implements PeerReply {

  /** Without extensions: as LMCache writes it. */
  public P2PErrorMsg(int errorCode) {
    this(errorCode, null);
  }

  /** The owner failed. */
  public static final int SERVER_ERROR = 1;

  /** The owner doesn't know the message, or couldn't decode it. */
  public static final int UNKNOWN_MESSAGE = 2;

  /** Shake hands (again): the receiver is unknown or an epoch differs. */
  public static final int NOT_INITIALIZED = 3;

  /** The receiver has too many loans, or the owner too many in all (ours). */
  public static final int OVERLOADED = 4;
}
