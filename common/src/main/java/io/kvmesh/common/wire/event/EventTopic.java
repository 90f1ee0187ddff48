package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.WorkerId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * The topic of the log. It is keyed by worker, so that a worker's events stay in order; its number
 * of partitions is fixed at creation. Timestamps are the broker's: silence is measured by them.
 */
public final class EventTopic {

  /** Partitions of a topic that isn't there yet. */
  public static final int DEFAULT_PARTITIONS = 8;

  /**
   * Topic settings that the log needs. Old records go by age: of a worker's events no later one
   * makes an earlier one superfluous. What is older than a day is in the views, or in snapshots.
   */
  public static final Map<String, String> CONFIG =
      Map.of(
          "message.timestamp.type",
          "LogAppendTime",
          "cleanup.policy",
          "delete",
          "retention.ms",
          Long.toString(Duration.ofDays(1).toMillis()));

  private EventTopic() {}

  /** Name of the topic of a fleet. */
  public static String name(String cluster) {
    return cluster + ".events";
  }

  /** Key of a worker's records. */
  public static byte[] key(WorkerId worker) {
    return worker.toString().getBytes(StandardCharsets.UTF_8);
  }
}
