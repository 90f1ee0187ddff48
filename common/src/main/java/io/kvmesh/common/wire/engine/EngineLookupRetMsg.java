package io.kvmesh.common.wire.engine;

/** Chunks held here and, after them, by one peer; lease 0 is none. */
public record EngineLookupRetMsg(long leaseId, int numLocal, int numFleet) implements EngineReply {}
