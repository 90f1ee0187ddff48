package io.kvmesh.agent.cache;

import java.lang.foreign.MemorySegment;

/** Memory of a cache that keeps nothing. */
final class NoMemory implements ChunkMemory {

  private final int chunkBytes;

  NoMemory(int chunkBytes) {
    this.chunkBytes = chunkBytes;
  }

  @Override
  public int slots() {
    return 1;
  }

  @Override
  public int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public boolean fits(int bytes) {
    return false;
  }

  @Override
  public long footprint(int bytes) {
    return 0;
  }

  @Override
  public long uniformFootprint() {
    return 0;
  }

  @Override
  public int tryAllocate(int bytes) {
    return NO_PLACE;
  }

  @Override
  public void free(int place) {
    throw new IllegalStateException("Nothing was given out, got place " + place);
  }

  @Override
  public MemorySegment body(int place, int bytes) {
    throw new IllegalStateException("Nothing was given out, got place " + place);
  }

  @Override
  public long offset(int place) {
    throw new IllegalStateException("Nothing was given out, got place " + place);
  }

  @Override
  public int generation(int place) {
    throw new IllegalStateException("Nothing was given out, got place " + place);
  }

  @Override
  public long capacityBytes() {
    return 0;
  }

  @Override
  public long freeBytes() {
    return 0;
  }

  @Override
  public long growableBytes() {
    return 0;
  }

  @Override
  public double fragmentation() {
    return 0;
  }
}
