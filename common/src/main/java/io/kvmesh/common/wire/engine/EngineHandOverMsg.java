package io.kvmesh.common.wire.engine;

/** Asks for pages to be handed over in shared memory. */
public record EngineHandOverMsg(long sessionId) implements EngineRequest {}
