package io.kvmesh.common.wire.control;

/** Number of tokens moved. */
public record MoveWorkerRetMsg(long numTokens) implements ControlReply {}
