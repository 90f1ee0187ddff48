package io.kvmesh.agent.fleet;

import java.time.Duration;

/**
 * Bounds of prefetches.
 *
 * @param maxRunning at a time; more are refused
 * @param longest that one may take
 * @param batchBytes pulled in one go, so that engines' own pulls find room between
 * @param batchDeadline of one such pull
 * @param maxHeldPercent of the cache's chunks that all of them may hold, in equal parts
 */
public record PrefetchLimits(
    int maxRunning, Duration longest, long batchBytes, Duration batchDeadline, int maxHeldPercent) {

  /** How many chunks are pulled in one go. */
  int batchChunks(int pageBytes) {
    return Math.clamp(batchBytes / pageBytes, 1, Integer.MAX_VALUE);
  }

  /** How many chunks one may hold, of a cache for so many. */
  int mostHeld(int chunks) {
    return (int) Math.max(1, (long) chunks * maxHeldPercent / 100 / Math.max(1, maxRunning));
  }
}
