package io.kvmesh.agent.transfer;

import java.time.Duration;

/**
 * What bounds a move from here.
 *
 * @param deadline of the whole move
 * @param batchDeadline of each of its pushes
 * @param batches how its pushes are cut, and how often each is tried
 * @param holders how long, at its end, those who still hold a chunk here have to let go of it, such
 *     as the target that has just read it
 * @param bytes that may be at the target when it ends, as bodies of full length
 */
public record MoveLimits(
    Duration deadline, Duration batchDeadline, PullLimits batches, Duration holders, long bytes) {

  private static final Duration HOLDERS = Duration.ofSeconds(1);

  /** Of a move of any length. */
  public MoveLimits(Duration deadline, Duration batchDeadline, PullLimits batches) {
    this(deadline, batchDeadline, batches, HOLDERS, Long.MAX_VALUE);
  }
}
