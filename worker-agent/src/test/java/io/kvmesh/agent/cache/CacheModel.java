package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a cache must hold, worked out in the simplest way. */
final class CacheModel {

  /** A resident chunk. */
  private static final class Entry {
    private long put;
    private long used;
    private long uses;
    private long reached;
    private int holds;
  }

  private final Comparator<Entry> first;
  private final int pages;
  private final Map<ChunkKey, Entry> resident = new HashMap<>();
  private long clock;
  int pending;

  CacheModel(PolicyName policy, int pages) {
    this.pages = pages;
    this.first =
        switch (policy.name()) {
          case "LRU" -> Comparator.comparingLong(entry -> entry.used);
          case "FIFO" -> Comparator.comparingLong(entry -> entry.put);
          case "MRU" -> Comparator.comparingLong(entry -> -entry.used);
          case "LFU" ->
              Comparator.<Entry>comparingLong(entry -> entry.uses)
                  .thenComparingLong(entry -> entry.reached);
          default -> throw new IllegalArgumentException("no model of " + policy);
        };
  }

  Map<ChunkKey, ?> resident() {
    return resident;
  }

  /** Room for one more; false if there is none and nothing may go. */
  boolean claim() {
    if (resident.size() + pending == pages) {
      Optional<Map.Entry<ChunkKey, Entry>> victim =
          resident.entrySet().stream()
              .filter(each -> each.getValue().holds == 0)
              .min(Map.Entry.comparingByValue(first));
      if (victim.isEmpty()) {
        return false;
      }
      resident.remove(victim.get().getKey());
    }
    pending++;
    return true;
  }

  void commit(ChunkKey key) {
    pending--;
    if (!resident.containsKey(key)) {
      Entry entry = new Entry();
      entry.put = ++clock;
      resident.put(key, entry);
      use(key);
    }
    hold(key);
  }

  void use(ChunkKey key) {
    Entry entry = entry(key);
    entry.used = ++clock;
    entry.uses++;
    entry.reached = clock;
  }

  void hold(ChunkKey key) {
    entry(key).holds++;
  }

  void letGo(ChunkKey key) {
    entry(key).holds--;
  }

  boolean remove(ChunkKey key) {
    Entry entry = resident.get(key);
    return entry != null && entry.holds == 0 && resident.remove(key) != null;
  }

  void clear() {
    resident.values().removeIf(entry -> entry.holds == 0);
  }

  private Entry entry(ChunkKey key) {
    Entry entry = resident.get(key);
    if (entry == null) {
      throw new AssertionError(key + " isn't resident in the model");
    }
    return entry;
  }
}
