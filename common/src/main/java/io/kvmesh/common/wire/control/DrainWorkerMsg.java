package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.DefaultValue;
import org.jspecify.annotations.Nullable;

/**
 * Ours: hand your chunks over to workers that stay, the hottest first, and serve on. The reply
 * comes when that is over.
 *
 * @param workerEventId by which it is asked for and cancelled
 * @param peerInitUrl of the one that gets them; null = those that the controllers name
 * @param deadlineMillis in which it is to be over; 0 = the worker's own bound, which holds always
 * @param maxBytes that may be at targets when it ends; 0 = any number
 */
public record DrainWorkerMsg(
    String workerEventId,
    String location,
    @DefaultValue @Nullable String peerInitUrl,
    @DefaultValue("0") long deadlineMillis,
    @DefaultValue("0") long maxBytes)
    implements ControlRequest {}
