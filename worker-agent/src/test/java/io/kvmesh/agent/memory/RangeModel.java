package io.kvmesh.agent.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** First fit in address order over a sorted map of free ranges, as simple as it can be said. */
final class RangeModel {

  private final long alignment;
  private final TreeMap<Long, Long> free = new TreeMap<>();
  private final Map<Long, Long> given = new HashMap<>();
  private long capacity;

  RangeModel(long alignment, long capacity) {
    this.alignment = alignment;
    this.capacity = capacity;
    free.put(0L, capacity);
  }

  long tryAllocate(int bytes) {
    long size = rounded(bytes);
    for (long offset : List.copyOf(free.keySet())) {
      long length = Objects.requireNonNull(free.get(offset));
      if (length >= size) {
        free.remove(offset);
        if (length > size) {
          free.put(offset + size, length - size);
        }
        given.put(offset, size);
        return offset;
      }
    }
    return -1;
  }

  /** The offsets, fewer than asked and then nothing changed where not all fit. */
  long[] tryAllocate(int[] sizes) {
    long[] offsets = new long[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      offsets[i] = tryAllocate(sizes[i]);
      if (offsets[i] < 0) {
        for (int j = 0; j < i; j++) {
          free(offsets[j]);
        }
        return new long[0];
      }
    }
    return offsets;
  }

  void free(long offset) {
    Long size = given.remove(offset);
    if (size == null) {
      throw new IllegalStateException("not given out: " + offset);
    }
    add(offset, size);
  }

  long grow(long bytes, long most) {
    long grown = Math.min(rounded(bytes), most - capacity);
    if (grown > 0) {
      add(capacity, grown);
      capacity += grown;
    }
    return grown;
  }

  private void add(long offset, long size) {
    long from = offset;
    long bytes = size;
    Map.Entry<Long, Long> before = free.lowerEntry(offset);
    if (before != null && before.getKey() + before.getValue() == offset) {
      from = before.getKey();
      bytes += before.getValue();
      free.remove(from);
    }
    Long after = free.remove(offset + size);
    free.put(from, after == null ? bytes : bytes + after);
  }

  long freeBytes() {
    return free.values().stream().mapToLong(Long::longValue).sum();
  }

  long largestFreeBytes() {
    return free.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  int freeRanges() {
    return free.size();
  }

  private long rounded(long bytes) {
    return Math.ceilDiv(bytes, alignment) * alignment;
  }
}
