package io.kvmesh.agent.cache;

import java.util.Map;

/**
 * Figures of one moment. Pages: {@code capacityPages = freePages + residentChunks + pendingChunks +
 * detachedChunks}. The rest counts from the start and never falls.
 *
 * @param pageBytes size of a page
 * @param capacityPages number of pages
 * @param freePages pages that nobody holds
 * @param residentChunks chunks that a lookup finds
 * @param residentBytes what their bodies take of their pages
 * @param leasedChunks chunks that a lease holds, resident or detached
 * @param pendingChunks claimed, neither committed nor aborted
 * @param detachedChunks no longer resident, still held by a lease
 * @param lookups calls of leasePrefix
 * @param lookedUp keys that they asked for
 * @param hits keys of them that were in the resident prefix
 * @param admitted chunks that became resident
 * @param removed chunks that ceased to be, by cause
 * @param alreadyResident claims and commits that found the chunk resident
 * @param noSpace claims refused because nothing could go
 * @param tooLarge claims refused for their size
 * @param aborted claims given back
 */
public record CacheStats(
    int pageBytes,
    int capacityPages,
    int freePages,
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
    long noSpace,
    long tooLarge,
    long aborted) {

  /** Copies the map. */
  public CacheStats {
    removed = Map.copyOf(removed);
  }

  /** How many chunks left, whatever the cause. */
  public long removedInAll() {
    return removed.values().stream().mapToLong(Long::longValue).sum();
  }
}
