package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.LogPosition;
import io.kvmesh.agent.cache.SnapshotSlice;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import java.util.ArrayList;
import java.util.List;

/** What waits in the outbox, in the order in which it has to reach the log. */
sealed interface OutboxItem {

  /**
   * Consecutive events of one keyspace.
   *
   * @param firstSequence number of the first; the others follow without a gap
   */
  record Operations(Keyspace keyspace, long firstSequence, OpType[] types, long[] hashBits)
      implements OutboxItem {

    int size() {
      return types.length;
    }

    List<KVOpEvent> events() {
      List<KVOpEvent> events = new ArrayList<>(types.length);
      for (int i = 0; i < types.length; i++) {
        events.add(new KVOpEvent(types[i], ChunkHash.ofUnsigned(hashBits[i]), firstSequence + i));
      }
      return events;
    }
  }

  /** Something else that has its place among the events; made under the cache's lock. */
  sealed interface Mark extends OutboxItem {}

  /** The cache as it is here. */
  record HeartbeatMark(LogPosition position) implements Mark {}

  /** A snapshot begins. */
  record StartMark(String snapshotId, LogPosition position) implements Mark {}

  /** A part of a snapshot. */
  record SliceMark(String snapshotId, SnapshotSlice slice) implements Mark {}

  /** A snapshot is complete. */
  record EndMark(String snapshotId, LogPosition position) implements Mark {}
}
