package io.kvmesh.common.wire.control;

/** Drop what you hold in a location. */
public record ClearWorkerMsg(String workerEventId, String location) implements ControlRequest {}
