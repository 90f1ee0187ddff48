package io.kvmesh.controller.it;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.fixture.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes to the log what an agent would. One thread. */
final class ScriptedAgent implements AutoCloseable {

  /** Earlier than any that is built. */
  static final String VERSION = "0.0.1";

  private final MessageCodec codec = new MessageCodec();
  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final WorkerId id;
  private final Keyspace keyspace;
  private final Announcement announcement;
  private long epoch;
  private long sequence;

  ScriptedAgent(String bootstrapServers, String cluster, WorkerId id, int controlPort) {
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers, "acks", "all"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    this.topic = EventTopic.name(cluster);
    this.id = id;
    this.keyspace = Workers.keyspace(id.rank());
    this.announcement =
        new Announcement(
                WorkerKind.AGENT,
                "127.0.0.1",
                controlPort,
                "127.0.0.1:5" + id.rank(),
                keyspace.model(),
                keyspace.dtype(),
                256,
                65_536L,
                "KV_2LTD",
                "sha256_cbor",
                "0",
                List.of("zmq"))
            .ofVersion(VERSION);
  }

  WorkerId id() {
    return id;
  }

  Keyspace keyspace() {
    return keyspace;
  }

  long epoch() {
    return epoch;
  }

  long sequence() {
    return sequence;
  }

  String peerInitUrl() {
    return "127.0.0.1:5" + id.rank();
  }

  /** Begins a life. */
  void up() throws Exception {
    epoch = write(new WorkerUp(id.instanceId(), id.rank(), 0, announcement));
    sequence = 0;
  }

  /** A sign of life, written at that time by its own clock, and whether it is going. */
  void heartbeat(long sentMillis, @Nullable DrainState drain) throws Exception {
    write(
        new Heartbeat(
            Formats.CURRENT,
            id.instanceId(),
            id.rank(),
            epoch,
            announcement,
            List.of(),
            sentMillis,
            drain));
  }

  void admit(long... hashes) throws Exception {
    write(OpType.ADMIT, hashes);
  }

  void evict(long... hashes) throws Exception {
    write(OpType.EVICT, hashes);
  }

  private void write(OpType type, long... hashes) throws Exception {
    List<KVOpEvent> operations = new ArrayList<>();
    for (long hash : hashes) {
      operations.add(new KVOpEvent(type, ChunkHash.ofUnsigned(hash), ++sequence));
    }
    write(
        new BatchedKVOperation(
            id.instanceId(), id.rank(), epoch, Workers.CPU, keyspace.toString(), operations));
  }

  /** The record's offset. */
  long write(LogEvent event) throws Exception {
    return writeRaw(codec.encode(event));
  }

  long writeRaw(byte[] value) throws Exception {
    return producer
        .send(new ProducerRecord<>(topic, EventTopic.key(id), value))
        .get(30, TimeUnit.SECONDS)
        .offset();
  }

  @Override
  public void close() {
    producer.close();
  }
}
