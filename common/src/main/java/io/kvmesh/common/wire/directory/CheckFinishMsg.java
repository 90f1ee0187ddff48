package io.kvmesh.common.wire.directory;

/** Is the operation of this event done? */
public record CheckFinishMsg(String eventId) implements OrchestrationMessage {}
