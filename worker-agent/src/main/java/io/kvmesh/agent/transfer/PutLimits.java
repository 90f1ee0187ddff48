package io.kvmesh.agent.transfer;

import java.time.Duration;

/**
 * How this agent takes what its peers push.
 *
 * @param maxWaiting pushes that wait their turn; more are refused
 * @param longest after which a push ends, whatever its sender allows
 * @param reads how a sender is read from
 * @param hold for so long after each push of a move all that it brought is held
 * @param maxHeldPercent of the cache's chunks that may be held for moves; one counts once for each
 *     push that named it
 * @param maxDisplacedPercent of the cache's chunks that may be put out for what peers hand over
 *     which are going, over all that are at it
 */
public record PutLimits(
    int maxWaiting,
    Duration longest,
    PullLimits reads,
    Duration hold,
    int maxHeldPercent,
    int maxDisplacedPercent) {}
