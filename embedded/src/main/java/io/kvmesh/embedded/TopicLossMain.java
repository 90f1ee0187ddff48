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
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Takes the log away. Arguments: host:port of the broker, name of the topic, and what is lost: with
 * {@code records} all that it has now, as by its retention, so that the offsets go on; with {@code
 * topic} the topic itself.
 */
public final class TopicLossMain {

  private static final int TIMEOUT_SECONDS = 30;

  /** Stands for the end of a partition. */
  private static final long END = -1;

  private TopicLossMain() {}

  public static void main(String[] args)
      throws InterruptedException, ExecutionException, TimeoutException {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", args[0]))) {
      KafkaFuture<Void> lost =
          switch (args[2]) {
            case "records" -> deleteRecords(admin, args[1]);
            case "topic" -> admin.deleteTopics(List.of(args[1])).all();
            default -> throw new IllegalArgumentException("records or topic, got " + args[2]);
          };
      lost.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static KafkaFuture<Void> deleteRecords(Admin admin, String topic)
      throws InterruptedException, ExecutionException, TimeoutException {
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
    return admin.deleteRecords(all).all();
  }
}
