package io.kvmesh.controller.ingest;

import org.jspecify.annotations.Nullable;

/**
 * A record of the log that was passed over. The log itself keeps it, at this place, until its
 * retention is over.
 *
 * @param timestampMillis when the broker appended it
 * @param key as text, shortened; null if it has none
 * @param bytes length of its value
 * @param firstBytes of its value, in hexadecimal digits
 */
public record RejectedRecord(
    int partition,
    long offset,
    long timestampMillis,
    @Nullable String key,
    Kind kind,
    String reason,
    int bytes,
    String firstBytes) {

  /** Why a record is passed over. */
  public enum Kind {
    /** It has no value. */
    EMPTY,
    /** Its value is no event. */
    UNDECODABLE,
    /** It is an event of a later format. */
    UNSUPPORTED_FORMAT,
    /** It is longer, or has more elements, than an event may. */
    OVERSIZE,
    /** Its key is another worker's than its event's. */
    WRONG_KEY,
    /** It is an event that can't be applied there. */
    MISPLACED
  }
}
