package io.kvmesh.agent.event;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a reader of the log believes of one worker's location: gaps, duplicates, snapshots that
 * count only if they are whole, digests that are compared where they can be.
 */
final class LogView {

  record Chunk(String keyspace, long hashBits) {}

  final Set<Chunk> chunks = new HashSet<>();
  private final Set<Chunk> marked = new HashSet<>();
  long epoch = -1;
  long sequence;
  int gaps;
  int duplicates;
  boolean suspect;
  int wholeSnapshots;
  int brokenSnapshots;
  int digestsCompared;
  private String snapshotId = "";
  private int batches;

  static LogView of(List<LogEvent> records) {
    LogView view = new LogView();
    for (int i = 0; i < records.size(); i++) {
      view.apply(records.get(i), FakeEventLog.offset(i));
    }
    return view;
  }

  void apply(LogEvent event, long offset) {
    switch (event) {
      case WorkerUp up -> begin(offset);
      case BatchedKVOperation ops -> ops.operations().forEach(op -> apply(ops.keyspace(), op));
      case Heartbeat heartbeat -> heartbeat.locations().forEach(this::compare);
      case SnapshotStart start -> start(start);
      case SnapshotBatch batch -> apply(batch);
      case SnapshotEnd end -> end(end);
      case WorkerDown down -> chunks.clear();
      case Tick tick -> {}
    }
  }

  private void begin(long newEpoch) {
    epoch = newEpoch;
    chunks.clear();
    marked.clear();
    sequence = 0;
    snapshotId = "";
  }

  private void apply(String keyspace, KVOpEvent op) {
    if (op.seqNum() <= sequence) {
      duplicates++;
      return;
    }
    if (op.seqNum() > sequence + 1) {
      gaps++;
      suspect = true;
      snapshotId = "";
    }
    sequence = op.seqNum();
    Chunk chunk = new Chunk(keyspace, op.key().bits());
    if (op.opType() == OpType.ADMIT) {
      chunks.add(chunk);
      marked.add(chunk);
    } else {
      chunks.remove(chunk);
      marked.remove(chunk);
    }
  }

  private void start(SnapshotStart start) {
    snapshotId = start.snapshotId();
    batches = 0;
    marked.clear();
    suspect |= start.sequence() != sequence;
    sequence = start.sequence();
  }

  private void apply(SnapshotBatch batch) {
    if (batch.snapshotId().equals(snapshotId)) {
      batches++;
      for (ChunkHash hash : batch.keys()) {
        chunks.add(new Chunk(batch.keyspace(), hash.bits()));
        marked.add(new Chunk(batch.keyspace(), hash.bits()));
      }
    }
  }

  private void end(SnapshotEnd end) {
    boolean whole =
        end.snapshotId().equals(snapshotId)
            && end.batchCount() == batches
            && end.sequence() == sequence;
    snapshotId = "";
    if (whole) {
      chunks.retainAll(marked);
      suspect = end.digest() != digest() || end.residentCount() != chunks.size();
      wholeSnapshots++;
    } else {
      brokenSnapshots++;
    }
  }

  private void compare(LocationState state) {
    if (state.sequence() == sequence) {
      digestsCompared++;
      if (!suspect && state.digest() != digest()) {
        throw new AssertionError("the digest differs at " + state);
      }
    }
  }

  long digest() {
    return chunks.stream()
        .mapToLong(
            chunk ->
                PlacementDigest.mix(Keyspace.parse(chunk.keyspace()).digest(), chunk.hashBits()))
        .sum();
  }
}
