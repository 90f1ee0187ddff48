package io.kvmesh.benchmarks.index;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Workers and the records that they write, as bytes. Each holds chunks of numbers that follow each
 * other; a number stands for a hash of 64 bits, spread evenly. One thread.
 */
final class Fleet {

  static final String LOCATION = "LocalCPUBackend";
  static final Keyspace KEYSPACE = Keyspace.of("benchmark", 1, 0, "bfloat16", List.of());

  /** Numbers from one worker's first to the next one's. */
  private static final long STRIDE = 1L << 40;

  private static final Announcement ANNOUNCEMENT =
      new Announcement(
          WorkerKind.AGENT,
          "127.0.0.1",
          1,
          "127.0.0.1:8200",
          "benchmark",
          "bfloat16",
          256,
          65_536L,
          "KV_2LTD",
          "sha256_cbor",
          "0",
          List.of("zmq"));

  private final MessageCodec codec = new MessageCodec();
  private final long[] epochs;
  private final long[] sequences;
  private long offset;

  Fleet(int workers) {
    this.epochs = new long[workers];
    this.sequences = new long[workers];
  }

  int size() {
    return epochs.length;
  }

  static WorkerId id(int worker) {
    return new WorkerId("instance-" + worker, 0);
  }

  static long hash(int worker, long number) {
    return PlacementDigest.mix(0, worker * STRIDE + number);
  }

  static long[] hashes(int worker, long first, int count) {
    return LongStream.range(first, first + count).map(number -> hash(worker, number)).toArray();
  }

  ConsumerRecord<byte[], byte[]> up(int worker) {
    began(worker, offset);
    return record(upEvent(worker));
  }

  /** A worker starts a life; {@link #began} says where. */
  LogEvent upEvent(int worker) {
    return new WorkerUp(id(worker).instanceId(), 0, 0, ANNOUNCEMENT);
  }

  /** The log has taken the beginning of the worker's life at that offset. */
  void began(int worker, long at) {
    epochs[worker] = at;
    sequences[worker] = 0;
  }

  ConsumerRecord<byte[], byte[]> down(int worker) {
    return record(
        new WorkerDown(id(worker).instanceId(), 0, epochs[worker], DownReason.DEREGISTERED, -1));
  }

  ConsumerRecord<byte[], byte[]> batch(int worker, OpType type, long first, int count) {
    return record(batchEvent(worker, type, first, count));
  }

  /** A batch of operations on chunks of numbers that follow each other. */
  LogEvent batchEvent(int worker, OpType type, long first, int count) {
    List<KVOpEvent> operations =
        LongStream.range(first, first + count)
            .mapToObj(number -> operation(worker, type, number))
            .toList();
    return new BatchedKVOperation(
        id(worker).instanceId(), 0, epochs[worker], LOCATION, KEYSPACE.toString(), operations);
  }

  private KVOpEvent operation(int worker, OpType type, long number) {
    return new KVOpEvent(type, ChunkHash.ofUnsigned(hash(worker, number)), ++sequences[worker]);
  }

  private ConsumerRecord<byte[], byte[]> record(LogEvent event) {
    return new ConsumerRecord<>("log", 0, offset++, new byte[0], codec.encode(event));
  }
}
