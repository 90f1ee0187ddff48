package io.kvmesh.agent.cache;

import io.kvmesh.agent.memory.PageAllocator;
import java.lang.foreign.MemorySegment;

/** Each body has a page of its own; its place is the page's number. */
final class PagedMemory implements ChunkMemory {

  private final PageAllocator pages;
  private final int growthPages;

  PagedMemory(PageAllocator pages, int growthPages) {
    if (growthPages < 1) {
      throw new IllegalArgumentException("It grows by at least 1 page, got " + growthPages);
    }
    this.pages = pages;
    this.growthPages = growthPages;
  }

  @Override
  public int slots() {
    return pages.maxCapacity();
  }

  @Override
  public int chunkBytes() {
    return pages.pageBytes();
  }

  @Override
  public boolean fits(int bytes) {
    return bytes <= pages.pageBytes();
  }

  @Override
  public long footprint(int bytes) {
    return pages.pageBytes();
  }

  @Override
  public long uniformFootprint() {
    return pages.pageBytes();
  }

  @Override
  public int tryAllocate(int bytes) {
    int page = pages.tryAllocate();
    return page < 0 && pages.grow(growthPages) > 0 ? pages.tryAllocate() : page;
  }

  @Override
  public void free(int place) {
    pages.free(place);
  }

  @Override
  public MemorySegment body(int place, int bytes) {
    return pages.segment(place).asSlice(0, bytes);
  }

  @Override
  public long offset(int place) {
    return pages.offset(place);
  }

  @Override
  public int generation(int place) {
    return pages.generation(place);
  }

  @Override
  public long capacityBytes() {
    return (long) pages.capacity() * pages.pageBytes();
  }

  @Override
  public long freeBytes() {
    return (long) pages.freePages() * pages.pageBytes();
  }

  @Override
  public long growableBytes() {
    return (long) (pages.maxCapacity() - pages.capacity()) * pages.pageBytes();
  }

  /** Every page is as good as another. */
  @Override
  public double fragmentation() {
    return 0;
  }
}
