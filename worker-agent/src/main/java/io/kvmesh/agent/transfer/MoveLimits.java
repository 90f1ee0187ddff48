package io.kvmesh.agent.transfer;

import java.time.Duration;

/**
 * What bounds a move from here.
 *
 * @param deadline of the whole move
 * @param batchDeadline of each of its pushes
 * @param batches how its pushes are cut, and how often each is tried
 * @param bytes that may be at the target when it ends, as bodies of full length
 */
public record MoveLimits(
    Duration deadline, Duration batchDeadline, PullLimits batches, long bytes) {

  /** Of a move of any length. */
  public MoveLimits(Duration deadline, Duration batchDeadline, PullLimits batches) {
    this(deadline, batchDeadline, batches, Long.MAX_VALUE);
  }
}
