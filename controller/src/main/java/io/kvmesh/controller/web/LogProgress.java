package io.kvmesh.controller.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How far the view that serves lookups has read the log. Any thread. */
public interface LogProgress {

  /** Whether it has reached the end; before, what is not there may just not be read yet. */
  boolean ready();

  /** How far it is behind, by partition; one that it does not read (yet) is absent. */
  Map<Integer, Lag> lags();

  /**
   * How far it is behind in a partition. Each duration is measured by one clock.
   *
   * @param records not applied yet, as of when the broker last told the partition's end
   * @param millis all that was written longer ago than this has been applied; 0 if nothing is known
   *     to be missing
   * @param visibleMillis how long a record that this controller wrote took lately from being given
   *     to the log until the view had it; null if this controller doesn't write to the partition
   * @param logMillis time of the partition by the broker's clock; null if no record was read yet
   */
  record Lag(long records, long millis, @Nullable Long visibleMillis, @Nullable Long logMillis) {}
}
