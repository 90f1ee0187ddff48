package io.kvmesh.controller.web;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The log as the view that serves lookups sees it. Any thread. */
public interface LogState {

  /** In what the topic differs from what the log needs. */
  List<Misfit> misfits();

  /** The partitions that the view reads, in order. */
  List<Partition> partitions();

  /** Number of records passed over, by kind. */
  Map<String, Long> rejectedCounts();

  /** The latest records passed over, the last one first. */
  List<Rejected> rejected();

  /**
   * Something of the topic that isn't as the log needs it.
   *
   * @param effect what comes of it
   */
  record Misfit(String setting, String value, String needed, String effect) {}

  /**
   * How far the view is in one partition; see {@link LogProgress.Lag}.
   *
   * @param position offset of the next record to be applied
   * @param end offset after the last record, as last told by the broker
   * @param owned whether this controller writes the durable view of the partition
   */
  record Partition(
      int partition,
      long position,
      long end,
      long records,
      long millis,
      @Nullable Long visibleMillis,
      @Nullable Long logMillis,
      boolean owned) {}

  /**
   * A record that was passed over.
   *
   * @param timestampMillis when the broker appended it
   * @param bytes length of its value
   * @param firstBytes of its value, in hexadecimal digits
   */
  record Rejected(
      int partition,
      long offset,
      long timestampMillis,
      @Nullable String key,
      String kind,
      String reason,
      int bytes,
      String firstBytes) {}
}
