package io.kvmesh.common.wire.event;

import io.kvmesh.common.key.WorkerId;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The topic of the log. It is keyed by worker, so that a worker's events stay in order; its number
 * of partitions is fixed at creation. Timestamps are the broker's: silence is measured by them.
 */
public final class EventTopic {

  /** Partitions of a topic that isn't there yet. */
  public static final int DEFAULT_PARTITIONS = 8;

  /** Topic settings that the log needs. */
  public static final Map<String, String> CONFIG =
      Map.of("message.timestamp.type", "LogAppendTime");

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
