package io.kvmesh.embedded;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaIT {

  private static final String TOPIC = "log";

  @TempDir Path dir;

  @Test
  void keepsTopicsRecordsAndPortOverARestart() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0)) {
      String address = kafka.bootstrapServers();
      Uuid id = createTopic(address);
      send(address, "before");

      kafka.restart();

      assertThat(kafka.bootstrapServers()).isEqualTo(address);
      assertThat(topicId(address)).isEqualTo(id);
      send(address, "after");
      assertThat(readAll(address, 2))
          .extracting(ConsumerRecord::value)
          .containsExactly("before", "after");
    }
  }

  @Test
  void aProducerLivesThroughAnOutage() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0)) {
      createTopic(kafka.bootstrapServers());
      try (KafkaProducer<String, String> producer = producer(kafka.bootstrapServers())) {
        producer.send(new ProducerRecord<>(TOPIC, "k", "1")).get(20, TimeUnit.SECONDS);
        kafka.restart();
        var sent = producer.send(new ProducerRecord<>(TOPIC, "k", "2"));
        assertThat(sent.get(60, TimeUnit.SECONDS).offset()).isEqualTo(1);
      }
    }
  }

  @Test
  void stampsRecordsWithItsOwnTime() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0)) {
      createTopic(kafka.bootstrapServers());
      send(kafka.bootstrapServers(), "x");
      assertThat(readAll(kafka.bootstrapServers(), 1))
          .extracting(ConsumerRecord::timestampType)
          .containsExactly(TimestampType.LOG_APPEND_TIME);
    }
  }

  @Test
  void createsNoTopicByItself() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(dir, 0);
        Admin admin = admin(kafka.bootstrapServers())) {
      assertThatThrownBy(() -> topicId(kafka.bootstrapServers()))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
      assertThat(admin.listTopics().names().get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  @Test
  void namesABusyPort() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> EmbeddedKafka.start(dir, port))
          .isInstanceOf(IOException.class)
          .hasMessage("Kafka cannot listen on 127.0.0.1:" + port + ": the port is in use");
    }
  }

  @Test
  void namesAFolderThatCannotBe() throws IOException {
    Path file = Files.createFile(dir.resolve("file"));
    assertThatThrownBy(() -> EmbeddedKafka.start(file, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }

  private static Uuid createTopic(String address) throws Exception {
    try (Admin admin = admin(address)) {
      var created = admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1)));
      return created.topicId(TOPIC).get(20, TimeUnit.SECONDS);
    }
  }

  private static Uuid topicId(String address) throws Exception {
    try (Admin admin = admin(address)) {
      var described = admin.describeTopics(List.of(TOPIC)).topicNameValues().get(TOPIC);
      return requireNonNull(described).get(20, TimeUnit.SECONDS).topicId();
    }
  }

  private static Admin admin(String address) {
    return Admin.create(Map.of("bootstrap.servers", address));
  }

  private static KafkaProducer<String, String> producer(String address) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", address), new StringSerializer(), new StringSerializer());
  }

  private static void send(String address, String value) throws Exception {
    try (KafkaProducer<String, String> producer = producer(address)) {
      producer.send(new ProducerRecord<>(TOPIC, "k", value)).get(20, TimeUnit.SECONDS);
    }
  }

  private static List<ConsumerRecord<String, String>> readAll(String address, int count) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", address),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(TOPIC, 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (records.size() < count && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
      return records;
    }
  }
}
