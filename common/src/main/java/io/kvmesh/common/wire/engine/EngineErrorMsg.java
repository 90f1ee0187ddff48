package io.kvmesh.common.wire.engine;

/** A request failed. */
public record EngineErrorMsg(EngineErrorCode code, String error) implements EngineReply {}
