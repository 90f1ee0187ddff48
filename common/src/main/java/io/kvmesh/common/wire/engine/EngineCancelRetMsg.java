package io.kvmesh.common.wire.engine;

/** Whether the request was still at work. */
public record EngineCancelRetMsg(boolean cancelled) implements EngineReply {}
