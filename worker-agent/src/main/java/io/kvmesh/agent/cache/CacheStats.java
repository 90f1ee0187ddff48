package io.kvmesh.agent.cache;

import java.util.Map;

/**
 * Figures of one moment. Where each chunk has a page: {@code capacityPages = freePages +
 * residentChunks + pendingChunks + detachedChunks - packed.chunks}. What has no unit and isn't a
 * number of chunks counts from the start and never falls.
 *
 * @param pageBytes size of a page, which is that of a full chunk
 * @param room memory
 * @param residentChunks chunks that a lookup finds
 * @param residentBytes what their bodies take
 * @param leasedChunks chunks that a lease holds, resident or detached
 * @param pendingChunks claimed, neither committed nor aborted
 * @param detachedChunks not resident, still held by a lease
 * @param lookups calls of leasePrefix
 * @param lookedUp keys that they asked for
 * @param hits keys of them that were in the resident prefix
 * @param admitted chunks that became resident
 * @param removed chunks that ceased to be, by cause
 * @param alreadyResident claims and commits that found the chunk resident
 * @param refused claims that were refused
 * @param aborted claims given back
 * @param waits claims that waited for room
 * @param pins chunks that somebody pinned
 * @param packed compressed chunks
 */
public record CacheStats(
    int pageBytes,
    Room room,
    int residentChunks,
    long residentBytes,
    int leasedChunks,
    int pendingChunks,
    int detachedChunks,
    long lookups,
    long lookedUp,
    long hits,
    long admitted,
    Map<RemovalCause, Long> removed,
    long alreadyResident,
    Refused refused,
    long aborted,
    Waits waits,
    Pins pins,
    Packed packed) {

  /**
   * The memory for bodies.
   *
   * @param capacityBytes all that is in use, whether a body has it or nobody
   * @param growableBytes beside that, to be taken into use when nothing is free
   * @param freeBytes in use, and nobody has it
   * @param budgetBytes could be had now, by growing and by evicting all that may go
   * @param fragmentation share of the free bytes that the largest free range doesn't have; 0 where
   *     each chunk has a page
   */
  public record Room(
      long capacityBytes,
      long growableBytes,
      long freeBytes,
      long budgetBytes,
      double fragmentation) {}

  /**
   * Batches that waited for room.
   *
   * @param now waiting now
   * @param waited that had to wait
   * @param inVain of these, at whose deadline there still wasn't room for all
   * @param refused that could not wait, since too many did
   */
  public record Waits(int now, long waited, long inVain, long refused) {}

  /**
   * Chunks that owners pinned, one counting once for each owner.
   *
   * @param now pins there are
   * @param owners that have one
   * @param forced pins taken off since they were too old
   * @param refused pins not made since there were too many
   */
  public record Pins(int now, int owners, long forced, long refused) {}

  /**
   * Chunks that are compressed, resident or detached. They have no page.
   *
   * @param chunks how many
   * @param bytesBefore what their bodies were long
   * @param bytesAfter what they are long now
   * @param capacityBytes memory for them
   * @param compressed chunks that became so
   * @param decompressed chunks that were written back
   */
  public record Packed(
      int chunks,
      long bytesBefore,
      long bytesAfter,
      long capacityBytes,
      long compressed,
      long decompressed) {}

  /**
   * Claims that were refused.
   *
   * @param noSpace because nothing could go
   * @param tooLarge for their size
   * @param unfull because they were for a part of a chunk
   * @param wrongSize because the body wasn't as long as its tokens say
   * @param notKept because nothing is kept here
   */
  public record Refused(long noSpace, long tooLarge, long unfull, long wrongSize, long notKept) {}

  /** Copies the map. */
  public CacheStats {
    removed = Map.copyOf(removed);
  }

  /** Claims refused because nothing could go. */
  public long noSpace() {
    return refused.noSpace;
  }

  /** Claims refused for their size. */
  public long tooLarge() {
    return refused.tooLarge;
  }

  /** Number of pages in use. */
  public int capacityPages() {
    return (int) (room.capacityBytes / pageBytes);
  }

  /** Number of pages in use, and of those that may still be taken into use. */
  public int mostPages() {
    return (int) ((room.capacityBytes + room.growableBytes) / pageBytes);
  }

  /** Pages that nobody has. */
  public int freePages() {
    return (int) (room.freeBytes / pageBytes);
  }

  /** How many chunks left, whatever the cause. */
  public long removedInAll() {
    return removed.values().stream().mapToLong(Long::longValue).sum();
  }
}
