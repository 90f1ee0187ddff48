package io.kvmesh.common.wire.vllm;

/** An event of a later engine, of which only the type was read. It can't be written. */
public record UnknownEvent(String type) implements KvEvent {}
