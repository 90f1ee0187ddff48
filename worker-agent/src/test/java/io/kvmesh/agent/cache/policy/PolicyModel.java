package io.kvmesh.agent.cache.policy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** A policy as one would write it without caring for time: it scans lists. */
interface PolicyModel {

  void added(int slot, long keyHash);

  void used(int slot);

  void removed(int slot);

  int victim(IntPredicate held);

  void restored(int slot);

  static PolicyModel of(PolicyName name, int slots) {
    return switch (name) {
      case LRU -> new Sorted(Comparator.comparingLong(Entry::lastUse));
      case FIFO -> new Sorted(Comparator.comparingLong(Entry::put));
      case MRU -> new Sorted(Comparator.comparingLong(Entry::lastUse).reversed());
      case LFU ->
          new Sorted(Comparator.comparingLong(Entry::count).thenComparingLong(Entry::lastUse));
      case S3FIFO -> new S3Fifo(slots);
      case ADAPTIVE -> new Adaptive(slots);
    };
  }

  static void take(List<Integer> from, int slot) {
    from.removeIf(each -> each == slot);
  }

  record Entry(int slot, long put, long lastUse, long count) {}

  /** The whole order is a comparison of two entries. */
  final class Sorted implements PolicyModel {

    private final Map<Integer, Entry> entries = new HashMap<>();
    private final Comparator<Entry> order;
    private long now;

    Sorted(Comparator<Entry> order) {
      this.order = order;
    }

    @Override
    public void added(int slot, long keyHash) {
      now++;
      entries.put(slot, new Entry(slot, now, now, 1));
    }

    @Override
    public void used(int slot) {
      now++;
      entries.computeIfPresent(slot, (key, e) -> new Entry(slot, e.put(), now, e.count() + 1));
    }

    @Override
    public void removed(int slot) {
      entries.remove(slot);
    }

    @Override
    public int victim(IntPredicate held) {
      return entries.values().stream()
          .filter(entry -> !held.test(entry.slot()))
          .min(order)
          .map(Entry::slot)
          .orElse(-1);
    }

    @Override
    public void restored(int slot) {
      // An entry never loses its place.
    }
  }

  /** Two lists, the first to go in front. */
  abstract class TwoLists implements PolicyModel {

    final List<Integer> first = new ArrayList<>();
    final List<Integer> second = new ArrayList<>();
    final BitSet aside = new BitSet();
    final int[] uses;
    int firstTarget;
    private final GhostTable ghosts;
    private final long[] hashes;
    private int lastVictim = -1;

    TwoLists(int slots, int firstTarget, int ghosts) {
      this.uses = new int[slots];
      this.hashes = new long[slots];
      this.firstTarget = firstTarget;
      this.ghosts = new GhostTable(ghosts);
    }

    long hash(int slot) {
      return hashes[slot];
    }

    @Override
    public void added(int slot, long keyHash) {
      hashes[slot] = keyHash;
      uses[slot] = 0;
      (ghosts.remove(keyHash) ? second : first).add(slot);
    }

    @Override
    public void removed(int slot) {
      if (slot == lastVictim && first.contains(slot)) {
        ghosts.add(hash(slot));
      }
      lastVictim = -1;
      take(first, slot);
      take(second, slot);
      aside.clear(slot);
    }

    @Override
    public int victim(IntPredicate held) {
      lastVictim = choose(held);
      return lastVictim;
    }

    int choose(IntPredicate held) {
      boolean firstFirst = first.size() > firstTarget || second.isEmpty();
      int victim = firstFirst ? fromFirst(held) : fromSecond(held);
      if (victim < 0) {
        victim = firstFirst ? fromSecond(held) : fromFirst(held);
      }
      return victim;
    }

    abstract boolean stays(int slot);

    private int fromFirst(IntPredicate held) {
      for (int slot : List.copyOf(first)) {
        if (aside.get(slot)) {
          continue;
        }
        if (stays(slot)) {
          take(first, slot);
          second.add(slot);
          promoted(slot);
          int other = first.size() > firstTarget ? -1 : fromSecond(held);
          if (other >= 0) {
            return other;
          }
        } else if (!refused(slot, held)) {
          return slot;
        }
      }
      return -1;
    }

    void promoted(int slot) {
      // The lists are all there is.
    }

    abstract int fromSecond(IntPredicate held);

    boolean refused(int slot, IntPredicate held) {
      if (held.test(slot)) {
        aside.set(slot);
        return true;
      }
      return false;
    }

    @Override
    public void restored(int slot) {
      aside.clear(slot);
    }
  }

  /** The lists are small and main. */
  final class S3Fifo extends TwoLists {

    S3Fifo(int slots) {
      super(slots, slots / S3FifoPolicy.SMALL_SHARE, slots);
    }

    @Override
    public void used(int slot) {
      uses[slot] = Math.min(S3FifoPolicy.MOST_USES, uses[slot] + 1);
    }

    @Override
    boolean stays(int slot) {
      boolean used = uses[slot] > 0;
      uses[slot] = 0;
      return used;
    }

    @Override
    int fromSecond(IntPredicate held) {
      for (int i = 0; i < second.size(); ) {
        int slot = second.get(i);
        if (aside.get(slot)) {
          i++;
        } else if (uses[slot] > 0) {
          uses[slot]--;
          take(second, slot);
          second.add(slot);
        } else if (!refused(slot, held)) {
          return slot;
        }
      }
      return -1;
    }
  }

  /** The lists are newcomers and reused; the share of the first comes from a contest. */
  final class Adaptive extends TwoLists {

    private final List<Integer> byUse = new ArrayList<>();
    private final ShareContest contest;
    private final int slots;

    Adaptive(int slots) {
      super(slots, 0, ReuseOrder.GHOSTS * slots);
      this.slots = slots;
      this.contest = new ShareContest(slots);
      share();
    }

    private void share() {
      firstTarget = (int) (contest.bestShare() * slots);
    }

    private void refer(int slot) {
      if (contest.isSampled(hash(slot))) {
        contest.refer(hash(slot));
        share();
      }
    }

    @Override
    public void added(int slot, long keyHash) {
      super.added(slot, keyHash);
      byUse.add(slot);
      refer(slot);
    }

    @Override
    public void used(int slot) {
      uses[slot]++;
      List<Integer> list = first.contains(slot) ? first : second;
      for (List<Integer> each : List.of(list, byUse)) {
        take(each, slot);
        each.add(slot);
      }
      aside.clear(slot);
      refer(slot);
    }

    @Override
    public void removed(int slot) {
      super.removed(slot);
      take(byUse, slot);
    }

    @Override
    boolean stays(int slot) {
      return uses[slot] >= ReuseOrder.USES_TO_STAY;
    }

    @Override
    void promoted(int slot) {
      take(byUse, slot);
      byUse.add(slot);
    }

    @Override
    int choose(IntPredicate held) {
      if (firstTarget < slots) {
        return super.choose(held);
      }
      for (int slot : byUse) {
        if (!aside.get(slot) && !refused(slot, held)) {
          return slot;
        }
      }
      return -1;
    }

    @Override
    int fromSecond(IntPredicate held) {
      for (int slot : second) {
        if (!aside.get(slot) && !refused(slot, held)) {
          return slot;
        }
      }
      return -1;
    }
  }
}
