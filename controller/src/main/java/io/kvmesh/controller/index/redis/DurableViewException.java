package io.kvmesh.controller.index.redis;

import io.kvmesh.controller.index.ViewUnavailableException;
import org.jspecify.annotations.Nullable;

/** The durable view can't be used now. */
public final class DurableViewException extends ViewUnavailableException {

  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Reason {
    /** Redis didn't answer, or refused. */
    UNAVAILABLE,
    /** What it holds was written in a later format. */
    UNSUPPORTED_FORMAT,
    /** What it holds was written by somebody else: keys of another type, fields of nonsense. */
    CORRUPT
  }

  private final Reason reason;

  DurableViewException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  static DurableViewException unsupported(String where, String format) {
    return new DurableViewException(
        Reason.UNSUPPORTED_FORMAT,
        "%s has format %s, this version reads up to %d: a later version wrote it. Upgrade this controller; to go back to its version for good, remove the cluster's keys, and it writes them anew"
            .formatted(where, format, RedisKeys.FORMAT),
        null);
  }

  static DurableViewException corrupt(String where, RuntimeException cause) {
    return new DurableViewException(
        Reason.CORRUPT, where + " isn't as this program writes it: " + cause, cause);
  }

  /** It can't be used for a reason of the caller's. */
  public static DurableViewException unavailable(String message) {
    return new DurableViewException(Reason.UNAVAILABLE, message, null);
  }

  /** Why it can't. */
  public Reason reason() {
    return reason;
  }

  /** Whether what Redis holds was written by somebody else, and can be written anew. */
  public boolean isCorrupt() {
    return reason == Reason.CORRUPT;
  }
}
