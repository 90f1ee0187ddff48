package io.kvmesh.common.wire.directory;

/** Which instance is at this address? */
public record QueryInstMsg(String eventId, String ip) implements OrchestrationMessage {}
