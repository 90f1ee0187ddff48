package io.kvmesh.agent.cache;

import io.kvmesh.agent.memory.RangeAllocator;
import java.lang.foreign.MemorySegment;

/**
 * Each body has a range as long as it needs, rounded up to the alignment; its place is the range's
 * offset in units of the alignment.
 */
final class RangedMemory implements ChunkMemory {

  private final RangeAllocator ranges;
  private final long unitBytes;
  private final int chunkBytes;
  private final int maxChunks;
  private final long growthBytes;

  RangedMemory(RangeAllocator ranges, int chunkBytes, int maxChunks, long growthBytes) {
    if (growthBytes < 1) {
      throw new IllegalArgumentException("It grows by at least 1 byte, got " + growthBytes);
    }
    this.ranges = ranges;
    this.growthBytes = growthBytes;
    this.unitBytes = ranges.bytesTaken(1);
    this.chunkBytes = chunkBytes;
    this.maxChunks = maxChunks;
    if (maxChunks < 1 || ranges.maxCapacityBytes() / unitBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "A cache has at least 1 chunk and 1 to %d aligned units, got %d chunks and %d units of %d"
                  .formatted(
                      Integer.MAX_VALUE,
                      maxChunks,
                      ranges.maxCapacityBytes() / unitBytes,
                      unitBytes)
              + " bytes");
    }
  }

  @Override
  public int slots() {
    return maxChunks;
  }

  @Override
  public int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public boolean fits(int bytes) {
    return ranges.bytesTaken(bytes) <= ranges.maxCapacityBytes();
  }

  @Override
  public long footprint(int bytes) {
    return ranges.bytesTaken(bytes);
  }

  @Override
  public long uniformFootprint() {
    return NOT_UNIFORM;
  }

  @Override
  public int tryAllocate(int bytes) {
    long offset = ranges.tryAllocate(bytes);
    while (offset < 0 && ranges.grow(growthBytes) > 0) {
      offset = ranges.tryAllocate(bytes);
    }
    return offset < 0 ? NO_PLACE : (int) (offset / unitBytes);
  }

  @Override
  public void free(int place) {
    ranges.free(place * unitBytes);
  }

  @Override
  public MemorySegment body(int place, int bytes) {
    return ranges.segment(place * unitBytes, bytes);
  }

  @Override
  public long offset(int place) {
    return place * unitBytes;
  }

  @Override
  public int generation(int place) {
    return ranges.generation(offset(place));
  }

  @Override
  public long capacityBytes() {
    return ranges.capacityBytes();
  }

  @Override
  public long freeBytes() {
    return ranges.freeBytes();
  }

  @Override
  public long growableBytes() {
    return ranges.maxCapacityBytes() - ranges.capacityBytes();
  }

  @Override
  public double fragmentation() {
    return ranges.fragmentation();
  }
}
