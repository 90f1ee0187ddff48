package io.kvmesh.common.wire.directory;

/** How are the workers of an instance? */
public record HealthMsg(String eventId, String instanceId) implements OrchestrationMessage {}
