package io.kvmesh.agent.transfer;

import java.time.Duration;

/**
 * What bounds a move from here.
 *
 * @param deadline of the whole move
 * @param batchDeadline of each of its pushes
 * @param batches how its pushes are cut, and how often each is tried
 */
public record MoveLimits(Duration deadline, Duration batchDeadline, PullLimits batches) {}
