package io.kvmesh.embedded;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Deletes all records that a topic has now, as its retention would in the end: the offsets go on.
 * Arguments: host:port of the broker, name of the topic.
 */
public final class EmptyTopicMain {

  private static final int TIMEOUT_SECONDS = 30;

  /** Stands for the end of a partition. */
  private static final long END = -1;

  private EmptyTopicMain() {}

  public static void main(String[] args)
      throws InterruptedException, ExecutionException, TimeoutException {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    empty(args[0], args[1]);
  }

  private static void empty(String address, String topic)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      TopicDescription described =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
              .values()
              .iterator()
              .next();
      Map<TopicPartition, RecordsToDelete> all =
          described.partitions().stream()
              .collect(
                  Collectors.toMap(
                      partition -> new TopicPartition(topic, partition.partition()),
                      partition -> RecordsToDelete.beforeOffset(END)));
      admin.deleteRecords(all).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
