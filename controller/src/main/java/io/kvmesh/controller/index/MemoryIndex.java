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
 * <p>It may be given a limit. At the limit chunks that would take another entry are not admitted,
 * and the outcome says how many; all else goes on, and what is held is right. A snapshot brings
 * what was left out, once {@link #hasRoom} again.
 *
 * <p>A chunk's key in the table is its {@link PlacementDigest#mix mix}: within a keyspace no two
 * hashes have the same one, its bits need no further mixing to find a position, and the sum of a
 * set's keys is the set's digest.
 */
public final class MemoryIndex implements ChunkIndex, LocalView {

  private static final long UNLIMITED = Long.MAX_VALUE;

  private final long limit;
  private final PlacementTable table;
  private final ConcurrentMap<WorkerId, WorkerKeys> workers = new ConcurrentHashMap<>();
  private final ReentrantLock writing = new ReentrantLock();

  /** Without a limit. */
  public MemoryIndex() {
    this(UNLIMITED);
  }

  /** Holds so many placements at most, those that are yet to be swept among them. */
  public MemoryIndex(long limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A view holds at least one placement, got " + limit);
    }
    this.limit = limit;
    this.table = new PlacementTable(limit);
  }

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
    long unplaced = keys.unplaced();
    List<KeyTotals> totals = new ArrayList<>(change.steps().size());
    for (ChangeStep step : change.steps()) {
      totals.add(keys.apply(step));
    }
    keys.advance(change.offset());
    if (change.forget()) {
      keys.drop();
      workers.remove(change.worker());
    }
    return new ChangeOutcome.Applied(totals, keys.unplaced() - unplaced);
  }

  @Override
  public boolean sweep() {
    writing.lock();
    try {
      return table.sweep();
    } finally {
      writing.unlock();
    }
  }

  @Override
  public long entries() {
    writing.lock();
    try {
      return table.slots().entries();
    } finally {
      writing.unlock();
    }
  }

  @Override
  public boolean keepsChunks() {
    return true;
  }

  /** Whether a tenth of the limit is free. */
  @Override
  public boolean hasRoom() {
    return limit == UNLIMITED || entries() <= limit - limit / 10;
  }

  /** Positions in memory, used or not: what it takes is 12 bytes times this. */
  long capacity() {
    return table.capacity();
  }

  @Override
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

  @Override
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
    return holding == null
        ? 0
        : prefix(holding, new PrefixKeys(table, keyspace.digest(), hashBits), 0);
  }

  private int prefix(Holding holding, PrefixKeys keys, int from) {
    int length = from;
    while (length < keys.size() && table.holds(keys.at(length), holding)) {
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
    PrefixKeys keys = new PrefixKeys(table, keyspace.digest(), hashBits);
    PrefixWalk walk = new PrefixWalk();
    Holdings holders = new Holdings();
    table.collect(keys.at(0), holders);
    for (int i = 0; i < holders.size(); i++) {
      Holding holding = holders.get(i);
      if (holding.keyspace.equals(keyspace) && eligible.test(holding.placement.worker())) {
        walk.start(holding);
      }
    }
    int length = 1;
    while (length < keys.size() && walk.survivors() > 1) {
      table.collect(keys.at(length), holders);
      walk.step(holders);
      length++;
    }
    Holding last = walk.lastSurvivor();
    if (last != null) {
      walk.finish(last, prefix(last, keys, length));
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
