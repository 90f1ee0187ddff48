package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.redis.RedisCare;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Looks, a few workers at a time, whether the durable view still has what it was given. Counts and
 * digests are kept apart from the keys, so that nothing else would tell of keys that Redis has
 * evicted or somebody has removed. The writer's thread, while no change is on its way.
 */
final class DurableAudit {

  private static final int WORKERS_A_TURN = 8;
  private static final int TURNS_BETWEEN_POLICIES = 30;

  private final RedisCare care;
  private final DurableRepair repair;
  private int turn;

  DurableAudit(RedisCare care, DurableRepair repair) {
    this.care = care;
    this.repair = repair;
  }

  /** Looks at the list of workers, and at some of the workers of these lanes. */
  void check(Collection<DurableLane> lanes, WorkerStreams streams) {
    if (turn % TURNS_BETWEEN_POLICIES == 0) {
      repair.lookAtPolicy();
    }
    Set<WorkerId> listed = repair.listed();
    for (DurableLane lane : lanes) {
      if (lane.loaded && !lane.failed) {
        List<WorkerStream> ours = streams.of(lane.number());
        ours.stream()
            .map(WorkerStream::id)
            .filter(worker -> !listed.contains(worker))
            .forEach(worker -> repair.list(worker, lane.number()));
        checkSome(lane, ours);
      }
    }
    turn++;
  }

  private void checkSome(DurableLane lane, List<WorkerStream> ours) {
    int turns = (ours.size() + WORKERS_A_TURN - 1) / WORKERS_A_TURN;
    if (turns == 0) {
      return;
    }
    int from = turn % turns * WORKERS_A_TURN;
    for (WorkerStream stream : ours.subList(from, Math.min(ours.size(), from + WORKERS_A_TURN))) {
      WorkerId worker = stream.id();
      Boolean whole = repair.readable(worker, () -> care.isWhole(worker));
      if (whole != null && !whole) {
        repair.incomplete(worker);
      }
      if (whole == null || !whole) {
        lane.refused.add(worker);
        lane.failed = true;
      }
    }
  }
}
