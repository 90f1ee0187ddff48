package io.kvmesh.common.wire.control;

/** Is the operation of this event done? */
public record CheckFinishWorkerMsg(String workerEventId) implements ControlRequest {}
