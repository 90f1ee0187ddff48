package io.kvmesh.agent.memory;

import java.lang.foreign.MemorySegment;

/**
 * Gives out the pages of an arena, all of one size, the longest free one first. In an arena that
 * others can map each page has a generation, which rises when the page is taken back: who remembers
 * page and generation can tell whether the bytes are still those.
 *
 * <p>Whoever owns the allocator serialises {@link #tryAllocate}, {@link #free}, {@link #grow} and
 * {@link #freePages}; the other methods may be called from any thread. A page that isn't given out,
 * or not of this arena, is refused with an error: it means that two owners believe in one page.
 */
public final class PageAllocator {

  private final PageArena arena;
  private final int pageBytes;
  private final int maxCapacity;

  /** A ring: the free pages are the {@code freePages} entries from {@code oldestFree} on. */
  private final int[] free;

  private final boolean[] givenOut;
  private volatile int capacity;
  private int oldestFree;
  private int freePages;

  /**
   * Cuts the arena into as many whole pages as it has room for.
   *
   * @param pageBytes size of a page in bytes
   */
  public PageAllocator(PageArena arena, int pageBytes) {
    this(arena, pageBytes, pagesIn(arena.byteSize(), pageBytes));
  }

  /**
   * Cuts the arena into pages, of which {@link #grow} makes more usable later.
   *
   * @param pageBytes size of a page in bytes
   * @param initialPages usable at first
   */
  public PageAllocator(PageArena arena, int pageBytes, int initialPages) {
    this.arena = arena;
    this.pageBytes = pageBytes;
    this.maxCapacity = pagesIn(arena.byteSize(), pageBytes);
    if (initialPages < 1 || initialPages > maxCapacity) {
      throw new IllegalArgumentException(
          "Of %d pages, 1 to all are usable at first, got %d".formatted(maxCapacity, initialPages));
    }
    this.free = new int[maxCapacity];
    this.givenOut = new boolean[maxCapacity];
    grow(initialPages);
  }

  /**
   * How many whole pages fit, rounded down.
   *
   * @throws IllegalArgumentException if not one fits
   */
  public static int pagesIn(long arenaBytes, int pageBytes) {
    if (pageBytes < 1) {
      throw new IllegalArgumentException("A page has at least 1 byte, got " + pageBytes);
    }
    long pages = arenaBytes / pageBytes;
    if (pages < 1 || pages > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "An arena of %d bytes is cut into 1 to %d pages; with pages of %d bytes it would be %d"
              .formatted(arenaBytes, Integer.MAX_VALUE - 8, pageBytes, pages));
    }
    return (int) pages;
  }

  /** Size of a page in bytes. */
  public int pageBytes() {
    return pageBytes;
  }

  /** Number of pages usable now, free or not. */
  public int capacity() {
    return capacity;
  }

  /** Number of pages usable once it has grown to the end of the arena. */
  public int maxCapacity() {
    return maxCapacity;
  }

  /** Number of pages that can be given out now. */
  public int freePages() {
    return freePages;
  }

  /** The page that has been free for longest, or −1 if none is free. */
  public int tryAllocate() {
    if (freePages == 0) {
      return -1;
    }
    int page = free[oldestFree];
    oldestFree = oldestFree + 1 == maxCapacity ? 0 : oldestFree + 1;
    freePages--;
    givenOut[page] = true;
    return page;
  }

  /**
   * Takes a page back.
   *
   * @throws IllegalStateException if it isn't given out
   * @throws IndexOutOfBoundsException if this arena has no such page
   */
  public void free(int page) {
    if (!givenOut[checked(page)]) {
      throw new IllegalStateException("Page %d is freed though it isn't given out".formatted(page));
    }
    givenOut[page] = false;
    arena.generations().rise(offset(page));
    addFree(page);
  }

  private void addFree(int page) {
    long newest = (long) oldestFree + freePages;
    free[(int) (newest < maxCapacity ? newest : newest - maxCapacity)] = page;
    freePages++;
  }

  /**
   * Makes more of the arena usable. No page moves.
   *
   * @param pages wanted
   * @return pages by which it grew: fewer at the end of the arena, then 0
   */
  public int grow(int pages) {
    if (pages < 0) {
      throw new IllegalArgumentException("It grows by at least 0 pages, got " + pages);
    }
    int first = capacity;
    int grown = Math.min(pages, maxCapacity - first);
    for (int page = first; page < first + grown; page++) {
      addFree(page);
    }
    capacity = first + grown;
    return grown;
  }

  /** The page's bytes, whoever owns them now. */
  public MemorySegment segment(int page) {
    return arena.bytes().asSlice(offset(page), pageBytes);
  }

  /** Where the page begins, in bytes from the start of the arena. */
  public long offset(int page) {
    return (long) checked(page) * pageBytes;
  }

  /** How often the page was taken back; wraps around after 2^32 times. */
  public int generation(int page) {
    return arena.generations().at(offset(page));
  }

  private int checked(int page) {
    if (page < 0 || page >= capacity) {
      throw new IndexOutOfBoundsException(
          "There is no page %d: %d are usable".formatted(page, capacity));
    }
    return page;
  }
}
