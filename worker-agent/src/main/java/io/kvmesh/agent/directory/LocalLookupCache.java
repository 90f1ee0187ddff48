package io.kvmesh.agent.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the controllers, and remembers for a moment who holds what by their answer: most prefixes
 * are looked up and then retrieved. Any thread; one lock guards what is remembered, and none is
 * held while a controller is asked.
 *
 * <p>Remembered is, chunk by chunk, who holds it, until that is too old, its holder is known to
 * have begun another life, or {@link #forget} is called. That nobody holds a prefix is not
 * remembered. Where a prefix ends is repeated only to who begins at the same chunk and asks for the
 * one at which it ended; any other question that isn't remembered to its last chunk goes to a
 * controller. So for no longer than the age a longer prefix stays unseen.
 */
public final class LocalLookupCache {

  private static final int MOST_LIVES = 4096;

  /** A chunk as the index knows it. */
  private record Place(Keyspace keyspace, long hashBits) {}

  /**
   * An answer.
   *
   * @param next hash of the chunk that the longest prefix ended before; empty = it didn't end
   */
  private record Told(List<Holder> holders, OptionalLong next, long atNanos) {}

  /** The chunk of that index in an answer's question. */
  private record Entry(Told told, int index) {}

  private record Life(String instanceId, int rank) {}

  private final PeerDirectory controllers;
  private final int mostChunks;
  private final long mostAgeNanos;
  private final Counters<DirectoryCount> counters;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();

  /** In the order in which they were told. */
  @GuardedBy("lock")
  private final Map<Place, Entry> entries = new LinkedHashMap<>();

  /** The last epoch of each worker that was told. */
  @GuardedBy("lock")
  private final Map<Life, Long> epochs = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Empty.
   *
   * @param mostChunks that are remembered; 0 = every question goes to a controller
   * @param mostAge after which an answer is forgotten
   */
  public LocalLookupCache(
      PeerDirectory controllers,
      int mostChunks,
      Duration mostAge,
      Counters<DirectoryCount> counters,
      LongSupplier nanoTime) {
    this.controllers = controllers;
    this.mostChunks = mostChunks;
    this.mostAgeNanos = mostAge.toNanos();
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Who holds the longest prefix of these chunks? The caller may have to wait for a controller. */
  public LookupOutcome lookup(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    if (hashes.isEmpty() || mostChunks == 0 || mostAgeNanos == 0) {
      return controllers.lookup(keyspace, hashes, atMost);
    }
    List<Holder> remembered = recall(keyspace, hashes);
    if (!remembered.isEmpty()) {
      return new LookupOutcome.Found(remembered, true);
    }
    long asked = nanoTime.getAsLong();
    LookupOutcome outcome = controllers.lookup(keyspace, hashes, atMost);
    if (outcome instanceof LookupOutcome.Found found) {
      remember(keyspace, hashes, found.holders(), asked);
    }
    return outcome;
  }

  /** What was told of these chunks is no longer so, or of no use: the next question is asked. */
  public void forget(Keyspace keyspace, List<ChunkHash> hashes) {
    lock.lock();
    try {
      for (ChunkHash hash : hashes) {
        entries.remove(new Place(keyspace, hash.bits()));
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many chunks are remembered. */
  public int chunks() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  private void remember(
      Keyspace keyspace, List<ChunkHash> hashes, List<Holder> holders, long asked) {
    int longest = holders.stream().mapToInt(Holder::chunks).max().orElse(0);
    OptionalLong next =
        longest < hashes.size()
            ? OptionalLong.of(hashes.get(longest).bits())
            : OptionalLong.empty();
    Told told = new Told(holders, next, asked);
    lock.lock();
    try {
      for (Holder holder : holders) {
        learnEpoch(keyspace, holder);
      }
      for (int i = 0; i < longest; i++) {
        Place place = new Place(keyspace, hashes.get(i).bits());
        entries.remove(place);
        entries.put(place, new Entry(told, i));
      }
      trim();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void learnEpoch(Keyspace keyspace, Holder holder) {
    if (holder.epoch() != Holder.UNKNOWN_EPOCH) {
      epochs.merge(new Life(holder.instanceId(), keyspace.rank()), holder.epoch(), Math::max);
    }
    Iterator<Life> lives = epochs.keySet().iterator();
    while (epochs.size() > MOST_LIVES) {
      lives.next();
      lives.remove();
    }
  }

  @GuardedBy("lock")
  private void trim() {
    Iterator<Entry> eldest = entries.values().iterator();
    while (eldest.hasNext() && (isOld(eldest.next()) || entries.size() > mostChunks)) {
      eldest.remove();
    }
  }

  private boolean isOld(Entry entry) {
    return nanoTime.getAsLong() - entry.told().atNanos() > mostAgeNanos;
  }

  /** The holders that are remembered, the longest prefix first; none if a controller must say. */
  private List<Holder> recall(Keyspace keyspace, List<ChunkHash> hashes) {
    lock.lock();
    try {
      Map<Holder, Integer> lengths = new LinkedHashMap<>();
      List<Holder> going = List.of();
      Entry first = null;
      Entry last = null;
      for (int i = 0; i < hashes.size(); i++) {
        Place place = new Place(keyspace, hashes.get(i).bits());
        Entry entry = entries.get(place);
        if (entry == null) {
          return isEnd(first, last, place.hashBits()) ? counted(lengths) : missed();
        }
        List<Holder> here = holders(entry, keyspace);
        if (here.isEmpty()) {
          entries.remove(place);
          counters.count(DirectoryCount.CACHE_STALE);
          return List.of();
        }
        going = last == null ? here : going.stream().filter(here::contains).toList();
        if (going.isEmpty()) {
          return missed();
        }
        going.forEach(holder -> lengths.merge(holder, 1, Integer::sum));
        first = first == null ? entry : first;
        last = entry;
      }
      return counted(lengths);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the controller that was asked for the same first chunk said that it ends here. */
  private static boolean isEnd(@Nullable Entry first, @Nullable Entry last, long hashBits) {
    return first != null
        && last != null
        && first.index() == 0
        && first.told().equals(last.told())
        && last.told().next().equals(OptionalLong.of(hashBits));
  }

  /** Who holds the entry's chunk by the answer; none if that is too old. Without their lengths. */
  @GuardedBy("lock")
  private List<Holder> holders(Entry entry, Keyspace keyspace) {
    if (isOld(entry)) {
      return List.of();
    }
    List<Holder> here = new ArrayList<>();
    for (Holder holder : entry.told().holders()) {
      if (holder.chunks() > entry.index() && isAlive(holder, keyspace)) {
        here.add(holder.withChunks(0));
      }
    }
    return here;
  }

  @GuardedBy("lock")
  private boolean isAlive(Holder holder, Keyspace keyspace) {
    Long known = epochs.get(new Life(holder.instanceId(), keyspace.rank()));
    return holder.epoch() == Holder.UNKNOWN_EPOCH || known == null || holder.epoch() >= known;
  }

  private List<Holder> missed() {
    counters.count(DirectoryCount.CACHE_MISS);
    return List.of();
  }

  private List<Holder> counted(Map<Holder, Integer> lengths) {
    counters.count(DirectoryCount.CACHE_HIT);
    List<Holder> holders = new ArrayList<>();
    lengths.forEach((holder, chunks) -> holders.add(holder.withChunks(chunks)));
    holders.sort(Comparator.comparingInt(Holder::chunks).reversed());
    return holders;
  }
}
