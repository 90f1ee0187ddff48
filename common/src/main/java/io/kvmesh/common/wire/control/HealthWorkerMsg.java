package io.kvmesh.common.wire.control;

/** How are you? */
public record HealthWorkerMsg(String workerEventId) implements ControlRequest {}
