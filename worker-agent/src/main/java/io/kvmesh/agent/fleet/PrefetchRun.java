package io.kvmesh.agent.fleet;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.PrefetchState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One prefetch: from its first chunk on, what is here is used as by a retrieve, and the rest pulled
 * in batches, as far as somebody has it. All that was found or has come is held until the end, so
 * that no part of it is evicted for the next. One thread, used once; progress for any thread.
 */
final class PrefetchRun {

  private static final Logger LOG = LoggerFactory.getLogger(PrefetchRun.class);

  /** Batches in a row that brought nothing. */
  private static final int MOST_FAULTS = 3;

  private final PrefetchId id;
  private final ChunkCache cache;
  private final FleetPuller fleet;
  private final List<ChunkKey> keys;
  private final int batchChunks;
  private final int mostHeld;
  private final PrefetchLimits limits;
  private final Deadline deadline;
  private final LongSupplier nanoTime;
  private final List<ChunkLease> held = new ArrayList<>();
  private int faults;
  private volatile boolean cancelled;
  private volatile PrefetchTally tally = PrefetchTally.NOTHING;

  /**
   * Assigns only.
   *
   * @param pageBytes of a full chunk
   * @param deadline of all of it
   */
  PrefetchRun(
      PrefetchId id,
      ChunkCache cache,
      FleetPuller fleet,
      List<ChunkKey> keys,
      int pageBytes,
      PrefetchLimits limits,
      Deadline deadline,
      LongSupplier nanoTime) {
    this.id = id;
    this.cache = cache;
    this.fleet = fleet;
    this.keys = List.copyOf(keys);
    this.batchChunks = limits.batchChunks(pageBytes);
    this.mostHeld = limits.mostHeld(cache.stats().mostPages());
    this.limits = limits;
    this.deadline = deadline;
    this.nanoTime = nanoTime;
  }

  /** Until it is over; an interrupt ends it. Nothing is held afterwards. */
  PrefetchReport run() {
    try {
      PrefetchState state = work();
      tally = tally.ended(state);
    } catch (InterruptedException e) {
      tally = tally.ended(PrefetchState.CANCELLED);
    } catch (RuntimeException e) {
      LOG.error("A prefetch failed", e);
      tally = tally.withFailed(0, e.getClass().getSimpleName()).ended(PrefetchState.FAILED);
    } finally {
      held.forEach(ChunkLease::close);
    }
    return report();
  }

  /** It ends with its next batch; who also interrupts its thread doesn't wait for that. */
  void cancel() {
    cancelled = true;
  }

  /** As far as it is. */
  PrefetchReport report() {
    PrefetchTally now = tally;
    return new PrefetchReport(
        id,
        keys.size(),
        now.outcomes(keys.size()),
        now.tokens(),
        now.state(),
        now.reason(),
        cache.position().sequence());
  }

  /** Chunks that it holds. */
  int holding() {
    PrefetchTally now = tally;
    return now.state() == PrefetchState.RUNNING ? now.here() : 0;
  }

  private PrefetchState work() throws InterruptedException {
    holdResident(keys.subList(0, Math.min(mostHeld, keys.size())));
    PrefetchState state = PrefetchState.RUNNING;
    while (state == PrefetchState.RUNNING) {
      state = step();
    }
    return state;
  }

  private PrefetchState step() throws InterruptedException {
    int from = tally.here();
    if (from == keys.size()) {
      return PrefetchState.DONE;
    }
    if (cancelled) {
      return PrefetchState.CANCELLED;
    }
    if (deadline.passed()) {
      return PrefetchState.TIMED_OUT;
    }
    if (from >= mostHeld) {
      return PrefetchState.OVER_SHARE;
    }
    int to = Math.min(Math.min(from + batchChunks, mostHeld), keys.size());
    List<ChunkKey> batch = keys.subList(from, to);
    if (cache.exists(batch.getFirst())) {
      holdResident(batch);
      return PrefetchState.RUNNING;
    }
    return pull(batch);
  }

  private void holdResident(List<ChunkKey> prefix) {
    ChunkLease lease = cache.leasePrefix(prefix);
    cache.touch(lease, lease.size());
    held.add(lease);
    long tokens = 0;
    for (int i = 0; i < lease.size(); i++) {
      tokens += lease.tokens(i);
    }
    tally = tally.came(lease.size(), 0, tokens);
  }

  private PrefetchState pull(List<ChunkKey> batch) throws InterruptedException {
    List<Boolean> before = batch.stream().map(cache::exists).toList();
    ChunkLease lease = cache.newLease();
    held.add(lease);
    FleetPuller.Pulled pulled;
    try {
      pulled = fleet.pull(batch, 0, lease, batchDeadline());
    } finally {
      settle(batch, before, lease);
    }
    if (pulled.chunks() > 0) {
      faults = 0;
      return PrefetchState.RUNNING;
    }
    return nothingCame(batch, pulled.outcome());
  }

  private Deadline batchDeadline() {
    boolean last = deadline.remaining().compareTo(limits.batchDeadline()) < 0;
    return last ? deadline : Deadline.after(limits.batchDeadline(), nanoTime);
  }

  /** Counts what of a batch is held now, also where its pull was interrupted. */
  private void settle(List<ChunkKey> batch, List<Boolean> before, ChunkLease lease) {
    Map<ChunkKey, Integer> tokens = new HashMap<>();
    for (int i = 0; i < lease.size(); i++) {
      tokens.put(lease.key(i), lease.tokens(i));
    }
    int resident = 0;
    int brought = 0;
    long hereTokens = 0;
    for (int i = 0; i < batch.size(); i++) {
      Integer its = tokens.get(batch.get(i));
      if (its == null) {
        break;
      }
      resident += before.get(i) ? 1 : 0;
      brought += before.get(i) ? 0 : 1;
      hereTokens += its;
    }
    tally = tally.came(resident, brought, hereTokens);
  }

  private PrefetchState nothingCame(List<ChunkKey> batch, FleetOutcome outcome) {
    if (outcome instanceof FleetOutcome.Miss) {
      tally = tally.withMissing(keys.size() - tally.here());
      return PrefetchState.DONE;
    }
    if (outcome instanceof FleetOutcome.Pulled(PullOutcome.NoRoom noRoom)) {
      return PrefetchState.NO_ROOM;
    }
    if (++faults < MOST_FAULTS) {
      return PrefetchState.RUNNING;
    }
    if (deadline.passed()) {
      return PrefetchState.TIMED_OUT;
    }
    tally = tally.withFailed(batch.size(), outcome.label());
    return PrefetchState.FAILED;
  }
}
