package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import io.kvmesh.common.key.WorkerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The view that answers lookups: chunk to holders, in primitive arrays (see {@link Stripe}).
 *
 * <p>Lookups don't wait for a writer. Changes exclude each other. Dropping a worker, or what a
 * snapshot didn't name, takes effect at once for every reader, whatever its size; {@link #sweep}
 * frees the memory afterwards.
 *
 * <p>A chunk's key in the table is its {@link PlacementDigest#mix mix}: within a keyspace no two
 * hashes have the same one, its bits need no further mixing to find a position, and the sum of a
 * set's keys is the set's digest.
 */
public final class MemoryIndex implements ChunkIndex {

  private final PlacementTable table = new PlacementTable();
  private final ConcurrentMap<WorkerId, WorkerKeys> workers = new ConcurrentHashMap<>();
  private final ReentrantLock writing = new ReentrantLock();

  /** Answers that the change was made, or that it builds on another state of the worker. */
  @Override
  public ChangeOutcome apply(WorkerChange change) {
    writing.lock();
    try {
      WorkerKeys keys = workers.get(change.worker());
      long held = keys == null ? -1 : keys.offset();
      if (held != change.expectedOffset()) {
        return new ChangeOutcome.Refused(held);
      }
      return make(change, keys == null ? new WorkerKeys(change.worker(), table) : keys);
    } finally {
      writing.unlock();
    }
  }

  private ChangeOutcome make(WorkerChange change, WorkerKeys keys) {
    if (!change.forget()) {
      workers.putIfAbsent(change.worker(), keys);
    }
    List<KeyTotals> totals = new ArrayList<>(change.steps().size());
    for (ChangeStep step : change.steps()) {
      totals.add(keys.apply(step));
    }
    keys.advance(change.offset());
    if (change.forget()) {
      keys.drop();
      workers.remove(change.worker());
    }
    return new ChangeOutcome.Applied(totals);
  }

  /**
   * Removes a part of what drops have left behind.
   *
   * @return whether there is more
   */
  public boolean sweep() {
    writing.lock();
    try {
      return table.sweep();
    } finally {
      writing.unlock();
    }
  }

  /** Drops the worker, whatever it holds. */
  public void forget(WorkerId worker) {
    writing.lock();
    try {
      WorkerKeys keys = workers.remove(worker);
      if (keys != null) {
        keys.drop();
      }
    } finally {
      writing.unlock();
    }
  }

  /** Drops every worker: the log is another one. */
  public void clear() {
    writing.lock();
    try {
      workers.values().forEach(WorkerKeys::drop);
      workers.clear();
    } finally {
      writing.unlock();
    }
  }

  @Override
  public int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits) {
    WorkerKeys keys = workers.get(worker);
    Holding holding = keys == null ? null : keys.holding(location, keyspace);
    return holding == null ? 0 : prefix(holding, hashBits, 0);
  }

  private int prefix(Holding holding, long[] hashBits, int from) {
    long digest = holding.keyspace.digest();
    int length = from;
    while (length < hashBits.length
        && table.holds(PlacementDigest.mix(digest, hashBits[length]), holding)) {
      length++;
    }
    return length;
  }

  @Override
  public List<PrefixMatch> prefixes(
      Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible) {
    if (hashBits.length == 0) {
      return List.of();
    }
    PrefixWalk walk = new PrefixWalk();
    Holdings holders = new Holdings();
    table.collect(PlacementDigest.mix(keyspace.digest(), hashBits[0]), holders);
    for (int i = 0; i < holders.size(); i++) {
      Holding holding = holders.get(i);
      if (holding.keyspace.equals(keyspace) && eligible.test(holding.placement.worker())) {
        walk.start(holding);
      }
    }
    int length = 1;
    while (length < hashBits.length && walk.survivors() > 1) {
      table.collect(PlacementDigest.mix(keyspace.digest(), hashBits[length]), holders);
      walk.step(holders);
      length++;
    }
    Holding last = walk.lastSurvivor();
    if (last != null) {
      walk.finish(last, prefix(last, hashBits, length));
    }
    return walk.matches();
  }

  @Override
  public List<Placement> holders(Keyspace keyspace, long hashBits) {
    Holdings holders = new Holdings();
    table.collect(PlacementDigest.mix(keyspace.digest(), hashBits), holders);
    List<Placement> placements = new ArrayList<>(holders.size());
    for (int i = 0; i < holders.size(); i++) {
      if (holders.get(i).keyspace.equals(keyspace)) {
        placements.add(holders.get(i).placement);
      }
    }
    return placements;
  }

  @Override
  public KeyTotals totals(WorkerId worker, String location) {
    writing.lock();
    try {
      WorkerKeys keys = workers.get(worker);
      return keys == null ? KeyTotals.NONE : keys.totals(location);
    } finally {
      writing.unlock();
    }
  }

  @Override
  public KeyTotals totals(WorkerId worker) {
    writing.lock();
    try {
      WorkerKeys keys = workers.get(worker);
      return keys == null ? KeyTotals.NONE : keys.totals();
    } finally {
      writing.unlock();
    }
  }

  @Override
  public Map<Keyspace, Long> countByKeyspace() {
    Map<Keyspace, Long> counts = new HashMap<>();
    writing.lock();
    try {
      workers.values().forEach(keys -> keys.addCounts(counts));
    } finally {
      writing.unlock();
    }
    return counts;
  }
}
