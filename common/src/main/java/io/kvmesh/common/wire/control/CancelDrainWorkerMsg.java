package io.kvmesh.common.wire.control;

/** Ours: end the drain of this event. What was handed over stays where it is. */
public record CancelDrainWorkerMsg(String workerEventId) implements ControlRequest {}
