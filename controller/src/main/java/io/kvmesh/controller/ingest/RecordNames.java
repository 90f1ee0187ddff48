package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.Location;
import io.kvmesh.common.key.SyncId;
import io.kvmesh.common.key.WorkerAddress;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerUp;
import java.util.List;
import java.util.Set;

/**
 * Checks what a record names: where its worker is, its syncs, its locations. Of those a life has a
 * few, and a worker that makes up another with each message must not fill the memory of every view.
 */
final class RecordNames {

  static final int MAX = 64;

  private RecordNames() {}

  /**
   * Checks what a record names.
   *
   * @param known those that the life has already
   * @throws IllegalArgumentException if it names what can't be, or one location too many
   */
  static void require(LogEvent event, Set<String> known) {
    requireRest(event);
    long added = 0;
    for (String name : names(event)) {
      if (!known.contains(name)) {
        Location.require(name);
        added++;
      }
    }
    if (added > 0 && known.size() + added > MAX) {
      throw new IllegalArgumentException(
          "a worker has at most %d locations, it names more: %s".formatted(MAX, names(event)));
    }
  }

  /** What else of it a view would keep as it is told. */
  private static void requireRest(LogEvent event) {
    switch (event) {
      case WorkerUp up -> requireAddress(up.announcement());
      case Heartbeat heartbeat -> requireAddress(heartbeat.announcement());
      case SnapshotStart start -> SyncId.require(start.snapshotId());
      case SnapshotBatch batch -> SyncId.require(batch.snapshotId());
      case SnapshotEnd end -> SyncId.require(end.snapshotId());
      default -> {}
    }
  }

  private static void requireAddress(Announcement told) {
    WorkerAddress.require(told.ip(), told.port(), told.peerInitUrl());
  }

  private static List<String> names(LogEvent event) {
    return switch (event) {
      case BatchedKVOperation batch -> List.of(batch.location());
      case SnapshotStart start -> List.of(start.location());
      case SnapshotBatch batch -> List.of(batch.location());
      case SnapshotEnd end -> List.of(end.location());
      case Heartbeat heartbeat ->
          heartbeat.locations().stream().map(LocationState::location).toList();
      default -> List.of();
    };
  }
}
