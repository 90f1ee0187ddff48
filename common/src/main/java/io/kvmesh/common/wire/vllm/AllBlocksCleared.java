package io.kvmesh.common.wire.vllm;

/** The cache is empty now. */
public record AllBlocksCleared() implements KvEvent {}
