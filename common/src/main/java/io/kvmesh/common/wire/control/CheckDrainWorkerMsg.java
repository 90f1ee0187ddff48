package io.kvmesh.common.wire.control;

/** Ours: how far is the drain of this event, or how did it end? */
public record CheckDrainWorkerMsg(String workerEventId) implements ControlRequest {}
