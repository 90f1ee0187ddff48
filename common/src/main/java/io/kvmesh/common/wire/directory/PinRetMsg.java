package io.kvmesh.common.wire.directory;

/** Number of tokens pinned. */
public record PinRetMsg(String eventId, long numTokens) implements OrchestrationMessage {}
