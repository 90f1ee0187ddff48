package io.kvmesh.common.wire.directory;

/** Drop what an instance holds in a location. */
public record ClearMsg(String eventId, String instanceId, String location)
    implements OrchestrationMessage {}
