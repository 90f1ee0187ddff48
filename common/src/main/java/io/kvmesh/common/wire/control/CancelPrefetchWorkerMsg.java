package io.kvmesh.common.wire.control;

/** Ours: end the prefetch of this event. What it has brought stays. */
public record CancelPrefetchWorkerMsg(String workerEventId) implements ControlRequest {}
