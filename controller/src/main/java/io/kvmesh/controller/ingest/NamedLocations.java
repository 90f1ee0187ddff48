package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.Location;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import java.util.List;
import java.util.Set;

/**
 * Bounds the locations of one life of a worker: it has a few, and one that makes up another with
 * each message must not fill the memory of every view.
 */
final class NamedLocations {

  static final int MAX = 64;

  private NamedLocations() {}

  /**
   * Checks what a record names.
   *
   * @param known those that the life has already
   * @throws IllegalArgumentException if it names what can be no location, or one too many
   */
  static void require(LogEvent event, Set<String> known) {
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
