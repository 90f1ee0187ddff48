package io.kvmesh.controller.ingest;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.fixture.Workers;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.index.WorkerChange;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** What a controller's front writes to the log for one foreign worker and location. */
final class ForeignLog {

  private static final long HIGHEST = 200;

  private final WorkerId id;
  private final String location;
  private final Keyspace keyspace;
  private final Announcement announcement = Workers.foreign("url");
  private long epoch = 900;
  private long sequence;

  ForeignLog(String instance, int rank) {
    this(new WorkerId(instance, rank), Workers.CPU);
  }

  private ForeignLog(WorkerId id, String location) {
    this.id = id;
    this.location = location;
    this.keyspace = Keyspace.foreign(id.rank());
  }

  /** The same worker's other location, of the life that begins next. */
  ForeignLog at(String other) {
    ForeignLog there = new ForeignLog(id, other);
    there.epoch = 1_001;
    return there;
  }

  WorkerId id() {
    return id;
  }

  long epoch() {
    return epoch;
  }

  /** Number of the last operation; −1 = none yet. */
  long sequence() {
    return sequence - 1;
  }

  WorkerUp up() {
    return new WorkerUp(id.instanceId(), id.rank(), 0, announcement);
  }

  void begin(TestView view) {
    began(view.append(up()));
  }

  void resume(TestView view) {
    began(view.append(WorkerUp.resumed(id, announcement)));
  }

  void began(long offset) {
    epoch = offset;
    sequence = 0;
  }

  LogEvent admit(long... hashes) {
    return operations(OpType.ADMIT, hashes);
  }

  LogEvent evict(long... hashes) {
    return operations(OpType.EVICT, hashes);
  }

  private LogEvent operations(OpType type, long... hashes) {
    List<KVOpEvent> operations = new ArrayList<>();
    for (long hash : hashes) {
      operations.add(new KVOpEvent(type, ChunkHash.ofSigned(hash), sequence++));
    }
    return new BatchedKVOperation(
        id.instanceId(), id.rank(), epoch, location, keyspace.toString(), operations);
  }

  LogEvent heartbeat() {
    return new Heartbeat(id.instanceId(), id.rank(), epoch, announcement, List.of());
  }

  LogEvent start(String syncId, int batches, long totalKeys) {
    return SnapshotStart.ofForeign(id, epoch, location, syncId, batches, totalKeys);
  }

  LogEvent batch(String syncId, int number, long... hashes) {
    List<ChunkHash> keys = LongStream.of(hashes).mapToObj(ChunkHash::ofSigned).toList();
    return new SnapshotBatch(
        id.instanceId(), id.rank(), epoch, location, syncId, number, keyspace.toString(), keys, 0);
  }

  LogEvent end(String syncId) {
    return new SnapshotEnd(
        id.instanceId(), id.rank(), epoch, location, syncId, SnapshotEnd.UNTOLD, 0, 0, 0);
  }

  /** What the view says the worker holds there, of the chunks below 200. */
  Set<Long> held(TestView view) {
    Set<Long> held = new HashSet<>();
    for (long hash = 0; hash < HIGHEST; hash++) {
      if (view.index.prefix(id, location, keyspace, new long[] {hash}) > 0) {
        held.add(hash);
      }
    }
    return held;
  }

  boolean isKnown(TestView view) {
    return view.streams.stream(id) != null;
  }

  WorkerView view(TestView view) {
    WorkerStream stream = view.streams.stream(id);
    assertThat(stream).as("stream of %s", id).isNotNull();
    return requireNonNull(stream).view(false);
  }

  /** What the stream would have stored now. */
  WorkerProgress stored(TestView view) {
    return requireNonNull(view.streams.stream(id)).progress();
  }

  /** Fills an empty view with what another holds, as from the durable view. */
  void load(TestView from, TestView into) {
    WorkerProgress progress = stored(from);
    long[] hashes = held(from).stream().mapToLong(Long::longValue).toArray();
    boolean[] admits = new boolean[hashes.length];
    Arrays.fill(admits, true);
    into.index.apply(
        new WorkerChange(
            id,
            -1,
            progress.offset(),
            false,
            List.of(new ChangeStep.Operations(location, keyspace, hashes, admits, false)),
            () -> progress));
    into.streams.resume(
        id, progress.withoutSnapshots(), Map.of(location, into.index.totals(id, location)));
  }
}
