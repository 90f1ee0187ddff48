package io.kvmesh.common.wire.directory;

/** The state of an operation. It has no event id. */
public record CheckFinishRetMsg(String status) implements OrchestrationMessage {}
