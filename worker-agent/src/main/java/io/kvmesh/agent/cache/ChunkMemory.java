package io.kvmesh.agent.cache;

import java.lang.foreign.MemorySegment;

/**
 * Where the bodies of chunks lie. A place is a number that stays with a body until it is freed.
 * Guarded by the cache's lock, but for {@link #body}.
 */
interface ChunkMemory {

  int NO_PLACE = -1;

  /** How many chunks there can be at once, at most. */
  int slots();

  /** Whether a body of this length can be placed in an empty cache. */
  boolean fits(int bytes);

  /** What a body of this length takes, in bytes. */
  long footprint(int bytes);

  /** What a chunk takes, in bytes. */
  long footprint(ChunkRecords records, int slot);

  /** A place for a body, or NO_PLACE. */
  int tryAllocate(int bytes);

  /** Takes a place back. */
  void free(int place);

  /** A body's bytes. Any thread. */
  MemorySegment body(int place, int bytes);

  /** All memory that can be given out, in bytes. */
  long capacityBytes();

  /** Of that, what isn't given out. */
  long freeBytes();

  /** Share of the free bytes that the largest free range does not have; 0 where there are pages. */
  double fragmentation();
}
