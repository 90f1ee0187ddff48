package io.kvmesh.controller.log;

import io.kvmesh.common.wire.event.EventTopic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/** Compares a topic that is there already with what the log needs. */
final class TopicCheck {

  private static final long SHORTEST_RETENTION_MILLIS = Duration.ofHours(1).toMillis();
  private static final long LEAST_MESSAGE_BYTES = 1_000_000;

  private final int partitions;
  private final int replicationFactor;

  /**
   * @param replicationFactor −1 = any
   */
  TopicCheck(int partitions, int replicationFactor) {
    this.partitions = partitions;
    this.replicationFactor = replicationFactor;
  }

  /** The topic's settings can't be seen, so nobody knows. */
  static TopicMisfit unreadable(String reason) {
    return new TopicMisfit(
        "configuration", "not readable", "readable", "nothing was compared: " + reason);
  }

  List<TopicMisfit> misfits(TopicDescription topic, Config config) {
    List<TopicMisfit> found = new ArrayList<>();
    checkShape(topic, found);
    checkCleanup(config, found);
    require(
        config,
        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
        "silence of workers is measured by their clocks",
        found);
    Long messageBytes = number(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
    if (messageBytes != null && messageBytes < LEAST_MESSAGE_BYTES) {
      found.add(
          new TopicMisfit(
              TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
              messageBytes.toString(),
              "at least " + LEAST_MESSAGE_BYTES,
              "larger batches of events are refused, and snapshots take their place"));
    }
    return found;
  }

  private void checkShape(TopicDescription topic, List<TopicMisfit> found) {
    int has = topic.partitions().size();
    if (has != partitions) {
      found.add(
          new TopicMisfit(
              "partitions",
              Integer.toString(has),
              Integer.toString(partitions),
              "the topic's own number is used. Changed under running workers it loses their order:"
                  + " the records of those that have moved are rejected until they are restarted"));
    }
    int copies = topic.partitions().stream().mapToInt(p -> p.replicas().size()).min().orElse(0);
    if (replicationFactor > copies) {
      found.add(
          new TopicMisfit(
              "replication factor",
              Integer.toString(copies),
              Integer.toString(replicationFactor),
              "events are lost with fewer brokers than was meant"));
    }
  }

  private void checkCleanup(Config config, List<TopicMisfit> found) {
    require(
        config,
        TopicConfig.CLEANUP_POLICY_CONFIG,
        "all but a worker's last event would go: its chunks are not found until a snapshot; and"
            + " time stands still where nobody writes, so that silence is not noticed",
        found);
    Long retention = number(config, TopicConfig.RETENTION_MS_CONFIG);
    if (retention != null && retention >= 0 && retention < SHORTEST_RETENTION_MILLIS) {
      found.add(
          new TopicMisfit(
              TopicConfig.RETENTION_MS_CONFIG,
              retention.toString(),
              "at least " + SHORTEST_RETENTION_MILLIS,
              "a view that is behind, or starts without Redis, lacks what is gone until a"
                  + " snapshot"));
    }
  }

  private static void require(
      Config config, String setting, String effect, List<TopicMisfit> found) {
    String needed = String.valueOf(EventTopic.CONFIG.get(setting));
    ConfigEntry entry = config.get(setting);
    if (entry != null && !needed.equals(entry.value())) {
      found.add(new TopicMisfit(setting, String.valueOf(entry.value()), needed, effect));
    }
  }

  private static @Nullable Long number(Config config, String setting) {
    ConfigEntry entry = config.get(setting);
    try {
      return entry == null || entry.value() == null ? null : Long.valueOf(entry.value());
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
