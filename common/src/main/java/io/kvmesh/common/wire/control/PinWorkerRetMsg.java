package io.kvmesh.common.wire.control;

/** Number of tokens pinned. */
public record PinWorkerRetMsg(long numTokens) implements ControlReply {}
