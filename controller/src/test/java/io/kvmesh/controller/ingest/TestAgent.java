package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.Topology;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** What a worker holds and writes: the events that an agent's cache would number. */
public final class TestAgent {

  static final String LOCATION = "LocalCPUBackend";
  static final Keyspace KEYSPACE = Keyspace.parse("llama@1@0@half");

  private final WorkerId id;
  private final Set<Long> resident = new LinkedHashSet<>();
  private long epoch = -1;
  private long sequence;
  private int snapshots;

  /** A snapshot that is being cut. */
  final class Snapshot {

    private final String snapshotId = "snapshot-" + ++snapshots;
    private int batches;

    LogEvent start() {
      return new SnapshotStart(id.instanceId(), id.rank(), epoch, LOCATION, snapshotId, sequence);
    }

    LogEvent batch(long... hashes) {
      return new SnapshotBatch(
          id.instanceId(),
          id.rank(),
          epoch,
          LOCATION,
          snapshotId,
          batches++,
          KEYSPACE.toString(),
          LongStream.of(hashes).mapToObj(ChunkHash::ofSigned).toList(),
          sequence);
    }

    LogEvent end() {
      return new SnapshotEnd(
          id.instanceId(),
          id.rank(),
          epoch,
          LOCATION,
          snapshotId,
          batches,
          sequence,
          resident.size(),
          digest());
    }
  }

  TestAgent(String instance) {
    this.id = new WorkerId(instance, 0);
  }

  WorkerId id() {
    return id;
  }

  Set<Long> resident() {
    return resident;
  }

  long sequence() {
    return sequence;
  }

  long epoch() {
    return epoch;
  }

  long digest() {
    return resident.stream().mapToLong(hash -> PlacementDigest.mix(KEYSPACE.digest(), hash)).sum();
  }

  /** A new process: nothing is resident. */
  LogEvent up() {
    resident.clear();
    sequence = 0;
    return new WorkerUp(id.instanceId(), id.rank(), 0, announcement());
  }

  /** The log has taken WorkerUp at that offset. */
  void acknowledged(long offset) {
    epoch = offset;
  }

  /** A batch of admits. */
  LogEvent admit(long... hashes) {
    return batch(LongStream.of(hashes).mapToObj(this::admitOne).toList());
  }

  /** A batch of evicts. */
  LogEvent evict(long... hashes) {
    return batch(LongStream.of(hashes).mapToObj(this::evictOne).toList());
  }

  KVOpEvent admitOne(long hash) {
    resident.add(hash);
    return new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(hash), ++sequence);
  }

  KVOpEvent evictOne(long hash) {
    resident.remove(hash);
    return new KVOpEvent(OpType.EVICT, ChunkHash.ofSigned(hash), ++sequence);
  }

  BatchedKVOperation batch(List<KVOpEvent> operations) {
    return new BatchedKVOperation(
        id.instanceId(), id.rank(), epoch, LOCATION, KEYSPACE.toString(), operations);
  }

  LogEvent heartbeat() {
    return new Heartbeat(
        id.instanceId(),
        id.rank(),
        epoch,
        announcement(),
        List.of(new LocationState(LOCATION, sequence, resident.size(), digest())));
  }

  /** A heartbeat that says this, whatever is true. */
  Heartbeat heartbeat(long sequence, long count, long digest) {
    return new Heartbeat(
        id().instanceId(),
        id().rank(),
        epoch(),
        announcement(),
        List.of(new LocationState(LOCATION, sequence, count, digest)));
  }

  /** What a controller's front forwards for a foreign worker, {@code foreign/1}. */
  static LogEvent foreignAdmit(long sequence, long hash) {
    return new BatchedKVOperation(
        "foreign",
        1,
        900,
        LOCATION,
        "foreign@1",
        List.of(new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(hash), sequence)));
  }

  LogEvent down(DownReason reason) {
    return new WorkerDown(id.instanceId(), id.rank(), epoch, reason, -1);
  }

  Snapshot newSnapshot() {
    return new Snapshot();
  }

  /** A whole snapshot, in batches of two. */
  List<LogEvent> snapshot() {
    Snapshot snapshot = newSnapshot();
    List<LogEvent> events = new ArrayList<>();
    events.add(snapshot.start());
    long[] hashes = resident.stream().mapToLong(Long::longValue).toArray();
    for (int i = 0; i < hashes.length; i += 2) {
      events.add(
          i + 1 < hashes.length
              ? snapshot.batch(hashes[i], hashes[i + 1])
              : snapshot.batch(hashes[i]));
    }
    events.add(snapshot.end());
    return events;
  }

  static Announcement announcement() {
    return new Announcement(
            WorkerKind.AGENT,
            "10.0.0.1",
            7000,
            "10.0.0.1:7001",
            "llama",
            "half",
            256,
            1L << 20,
            "paged",
            "sha256_cbor",
            "0",
            List.of("zmq"))
        .ofVersion("1.2.3")
        .in(new Topology("zone-1", null, "node-7"));
  }
}
