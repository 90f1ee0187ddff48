package io.kvmesh.quickstart.model;

import io.kvmesh.quickstart.options.Policy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One worker's cache: every resident block with its place in the order of eviction. A use moves a
 * block: lru and mru to the newest, lfu one count up, fifo nowhere.
 */
final class ModelCache {

  /** {@code count} matters for lfu only; {@code tick} is when the block came to its place. */
  private record Place(long block, int count, long tick) {}

  private final Map<Long, Place> places = new HashMap<>();
  private final TreeSet<Place> order;
  private final Policy policy;
  private final int capacity;
  private long clock;
  private long evictions;

  ModelCache(Policy policy, int capacity) {
    this.policy = policy;
    this.capacity = capacity;
    this.order =
        new TreeSet<>(
            switch (policy) {
              case LRU, FIFO -> Comparator.comparingLong(Place::tick);
              case MRU -> Comparator.comparingLong(Place::tick).reversed();
              case LFU -> Comparator.comparingInt(Place::count).thenComparingLong(Place::tick);
              case S3FIFO, ADAPTIVE ->
                  throw new IllegalArgumentException("no sorted order: " + policy);
            });
  }

  boolean contains(long block) {
    return places.containsKey(block);
  }

  int size() {
    return places.size();
  }

  long evictions() {
    return evictions;
  }

  void hit(long block) {
    Place place = places.get(block);
    if (place == null) {
      throw new IllegalArgumentException("not resident: " + block);
    }
    if (policy != Policy.FIFO) {
      order.remove(place);
      place(block, place.count() + 1);
    }
  }

  /** False where the cache is full of blocks that are in use. */
  boolean put(long block, Set<Long> inUse) {
    if (places.size() == capacity && !evictOne(inUse)) {
      return false;
    }
    place(block, 1);
    return true;
  }

  private boolean evictOne(Set<Long> inUse) {
    for (Place candidate : order) {
      if (!inUse.contains(candidate.block())) {
        order.remove(candidate);
        places.remove(candidate.block());
        evictions++;
        return true;
      }
    }
    return false;
  }

  private void place(long block, int count) {
    Place place = new Place(block, count, clock++);
    places.put(block, place);
    order.add(place);
  }
}
