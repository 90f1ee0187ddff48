package io.kvmesh.agent.memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Gives out ranges of an arena, each as long as it is asked for, rounded up to the alignment: the
 * first that fits in address order. Free neighbours are one range at once, also across the edges at
 * which the allocator grew. Each operation takes time logarithmic in the number of free ranges and
 * allocates nothing on the heap, but for tables that double when they are full.
 *
 * <p>Whoever owns the allocator serialises all methods but {@link #segment} and {@link
 * #generation}, which may be called from any thread. Offsets count in bytes from the start of the
 * arena and are multiples of the alignment. A range that isn't given out, or not of this arena, is
 * refused with an error: it means that two owners believe in one range.
 */
public final class RangeAllocator {

  /** Suits the pages of the system and O_DIRECT. */
  public static final int DEFAULT_ALIGNMENT = 4096;

  private final PageArena arena;
  private final int alignment;
  private final long maxCapacityBytes;
  private final FreeRanges free = new FreeRanges();
  private final GivenRanges given = new GivenRanges();
  private volatile long capacityBytes;
  private long freeBytes;

  /** Over the whole arena, with the default alignment. */
  public RangeAllocator(PageArena arena) {
    this(arena, DEFAULT_ALIGNMENT, arena.byteSize());
  }

  /**
   * Over the first part of an arena; {@link #grow} adds the rest.
   *
   * @param alignment of offsets and sizes in bytes, a power of two
   * @param initialBytes usable at first, rounded down to the alignment
   * @throws IllegalArgumentException if the arena or the first part doesn't hold one aligned range
   */
  public RangeAllocator(PageArena arena, int alignment, long initialBytes) {
    if (Integer.bitCount(alignment) != 1 || alignment < 1) {
      throw new IllegalArgumentException("An alignment is a power of two, got " + alignment);
    }
    if (initialBytes < alignment || initialBytes > arena.byteSize()) {
      throw new IllegalArgumentException(
          "Of an arena of %d bytes, %d bytes can't be given out in ranges aligned to %d bytes"
              .formatted(arena.byteSize(), initialBytes, alignment));
    }
    this.arena = arena;
    this.alignment = alignment;
    this.maxCapacityBytes = roundedDown(arena.byteSize());
    grow(roundedDown(initialBytes));
  }

  /** Bytes usable now, given out or not. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes usable once it has grown to the end of the arena. */
  public long maxCapacityBytes() {
    return maxCapacityBytes;
  }

  /** Bytes not given out; those that rounding up took count as given out. */
  public long freeBytes() {
    return freeBytes;
  }

  /** Length of the longest free range. */
  public long largestFreeBytes() {
    return free.largestBytes();
  }

  /** Number of free ranges, no two of which touch. */
  public int freeRanges() {
    return free.count();
  }

  /** Share of the free bytes that the longest free range can't give: 0 = they are one range. */
  public double fragmentation() {
    return freeBytes == 0 ? 0 : 1 - (double) largestFreeBytes() / freeBytes;
  }

  /** Bytes that a range of so many bytes takes: rounded up to the alignment. */
  public long bytesTaken(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("A range has at least 1 byte, got " + bytes);
    }
    return roundedUp(bytes);
  }

  /** The offset of a range, or −1 if no free range is that long. */
  public long tryAllocate(int bytes) {
    long taken = bytesTaken(bytes);
    long offset = free.takeFirst(taken);
    if (offset >= 0) {
      given.put(offset, bytes);
      freeBytes -= taken;
    }
    return offset;
  }

  /**
   * As many ranges as there are sizes, one after the other, or none.
   *
   * @param offsets where their offsets go; of no meaning if not all fit
   * @return whether all fit; if not, nothing is given out
   */
  public boolean tryAllocate(int[] sizes, long[] offsets) {
    if (offsets.length != sizes.length) {
      throw new IllegalArgumentException(
          "%d sizes need as many offsets, got %d".formatted(sizes.length, offsets.length));
    }
    long wanted = 0;
    for (int bytes : sizes) {
      wanted += bytesTaken(bytes);
    }
    if (wanted > freeBytes) {
      return false;
    }
    for (int i = 0; i < sizes.length; i++) {
      offsets[i] = tryAllocate(sizes[i]);
      if (offsets[i] < 0) {
        while (--i >= 0) {
          free(offsets[i]);
        }
        return false;
      }
    }
    return true;
  }

  /**
   * Takes a range back.
   *
   * @param offset as it was given out
   * @throws IllegalStateException if no range that is given out begins there
   * @throws IndexOutOfBoundsException if it is outside of the usable part of the arena
   */
  public void free(long offset) {
    Objects.checkIndex(offset, capacityBytes);
    int bytes = given.remove(offset);
    if (bytes < 0) {
      throw new IllegalStateException(
          "The range at offset %d is freed though none is given out there".formatted(offset));
    }
    arena.generations().rise(offset);
    long taken = roundedUp(bytes);
    free.add(offset, taken);
    freeBytes += taken;
  }

  /** How often a range that began there was taken back; wraps around after 2^32 times. */
  public int generation(long offset) {
    return arena.generations().at(Objects.checkIndex(offset, capacityBytes));
  }

  /** The first bytes of a range, whoever owns them now. */
  public MemorySegment segment(long offset, int bytes) {
    Objects.checkFromIndexSize(offset, bytes, capacityBytes);
    return arena.bytes().asSlice(offset, bytes);
  }

  /**
   * Makes more of the arena usable. What is given out stays where it is.
   *
   * @param bytes wanted, rounded up to the alignment
   * @return bytes by which it grew: fewer at the end of the arena, then 0
   */
  public long grow(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("It grows by at least 0 bytes, got " + bytes);
    }
    long end = capacityBytes;
    long rest = maxCapacityBytes - end;
    long grown = bytes >= rest ? rest : roundedUp(bytes);
    if (grown > 0) {
      free.add(end, grown);
      capacityBytes = end + grown;
      freeBytes += grown;
    }
    return grown;
  }

  private long roundedUp(long bytes) {
    return (bytes + alignment - 1) & -alignment;
  }

  private long roundedDown(long bytes) {
    return bytes & -alignment;
  }
}
