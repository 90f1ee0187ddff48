package io.kvmesh.controller.ingest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of the readers of the log.
 *
 * @param ready whether the view in memory is whole: lookups may be answered
 * @param logReachable whether the log answered last
 * @param logFailure what it, or the way to it, said instead; null while it answers
 * @param durable state of the durable view
 * @param durableFailure why it takes no changes, where that is known
 * @param evictionPolicy what Redis does when its memory is full, as it was read last
 * @param lags of the view in memory, one per partition
 * @param durableLags of the durable view, one per partition that this controller writes
 */
public record IngestStatus(
    boolean ready,
    boolean logReachable,
    @Nullable String logFailure,
    Durable durable,
    @Nullable String durableFailure,
    String evictionPolicy,
    List<PartitionLag> lags,
    List<PartitionLag> durableLags) {

  /** State of the durable view. */
  public enum Durable {
    /** There is none. */
    OFF,
    /** It takes changes. */
    UP,
    /** It didn't answer last, or refused; tried again, nothing is lost meanwhile. */
    AWAY,
    /** It was written by a later version, and is left alone. */
    UNSUPPORTED
  }

  /** Copies the lists. */
  public IngestStatus {
    lags = List.copyOf(lags);
    durableLags = List.copyOf(durableLags);
  }
}
