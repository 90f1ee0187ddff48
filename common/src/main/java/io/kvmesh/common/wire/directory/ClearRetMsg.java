package io.kvmesh.common.wire.directory;

/** Number of tokens dropped. */
public record ClearRetMsg(String eventId, long numTokens) implements OrchestrationMessage {}
