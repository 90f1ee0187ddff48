package io.kvmesh.common.wire.directory;

/** Number of tokens moved. */
public record MoveRetMsg(String eventId, long numTokens) implements OrchestrationMessage {}
