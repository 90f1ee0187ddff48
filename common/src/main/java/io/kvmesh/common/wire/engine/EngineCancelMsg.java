package io.kvmesh.common.wire.engine;

/**
 * Ends a request of this connection that is at work for the session; its own reply says so.
 *
 * @param requestId as in its envelope
 */
public record EngineCancelMsg(long sessionId, long requestId) implements EngineRequest {}
