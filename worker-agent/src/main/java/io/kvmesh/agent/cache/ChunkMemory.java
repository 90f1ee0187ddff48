package io.kvmesh.agent.cache;

import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.RangeAllocator;
import java.lang.foreign.MemorySegment;

/**
 * Where the bodies of a cache's chunks lie. A place is a number that stays with a body until it is
 * freed. Guarded by the lock of the one cache that uses it, but for {@link #body}, {@link #offset}
 * and {@link #generation}.
 */
public sealed interface ChunkMemory permits PagedMemory, RangedMemory, NoMemory {

  /** Instead of a place: there is none. */
  int NO_PLACE = -1;

  /** From {@link #uniformFootprint}: bodies take what their length asks for. */
  int NOT_UNIFORM = -1;

  /** Each body has a page; only the cache allocates from now on. */
  static ChunkMemory paged(PageAllocator pages) {
    return paged(pages, pages.maxCapacity());
  }

  /**
   * As above.
   *
   * @param growthPages taken into use each time that there is no free page, until all are
   */
  static ChunkMemory paged(PageAllocator pages, int growthPages) {
    return new PagedMemory(pages, growthPages);
  }

  /**
   * Each body has a range; only the cache allocates from now on.
   *
   * @param chunkBytes length of a full chunk's body
   * @param maxChunks how many chunks there can be at once, however small they are
   */
  static ChunkMemory ranges(RangeAllocator ranges, int chunkBytes, int maxChunks) {
    return ranges(ranges, chunkBytes, maxChunks, ranges.maxCapacityBytes());
  }

  /**
   * As above.
   *
   * @param growthBytes taken into use each time that no free range is long enough, until all are
   */
  static ChunkMemory ranges(
      RangeAllocator ranges, int chunkBytes, int maxChunks, long growthBytes) {
    return new RangedMemory(ranges, chunkBytes, maxChunks, growthBytes);
  }

  /**
   * No memory at all.
   *
   * @param chunkBytes length of a full chunk's body
   */
  static ChunkMemory none(int chunkBytes) {
    return new NoMemory(chunkBytes);
  }

  /** How many chunks there can be at once, at most; at least 1. */
  int slots();

  /** Length of a full chunk's body. */
  int chunkBytes();

  /** Whether a body of this length can be placed in an empty cache. */
  boolean fits(int bytes);

  /** What a body of this length takes, in bytes. */
  long footprint(int bytes);

  /** What each body takes, in bytes, or NOT_UNIFORM. */
  long uniformFootprint();

  /** A place for a body, or NO_PLACE. Where nothing else is free, more memory is taken into use. */
  int tryAllocate(int bytes);

  /** Takes a place back. */
  void free(int place);

  /** A body's bytes. Any thread. */
  MemorySegment body(int place, int bytes);

  /** Where a body begins, in bytes from the start of the arena. Any thread. */
  long offset(int place);

  /** In an arena that others can map: another number once the place was taken back. Any thread. */
  int generation(int place);

  /** All memory in use, given out or not, in bytes. */
  long capacityBytes();

  /** Of that, what isn't given out. */
  long freeBytes();

  /** What is yet to be taken into use; it is as good as free. */
  long growableBytes();

  /** Share of the free bytes that the largest free range does not have; 0 where there are pages. */
  double fragmentation();
}
