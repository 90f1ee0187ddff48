package io.kvmesh.common.wire.directory;

/** Number of tokens compressed. */
public record CompressRetMsg(String eventId, long numTokens) implements OrchestrationMessage {}
