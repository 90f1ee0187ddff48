package io.kvmesh.common.wire.directory;

/** Number of tokens decompressed. */
public record DecompressRetMsg(String eventId, long numTokens) implements OrchestrationMessage {}
