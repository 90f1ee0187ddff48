package io.kvmesh.common.wire.control;

/** Ours: how far is the prefetch of this event? */
public record CheckPrefetchWorkerMsg(String workerEventId) implements ControlRequest {}
