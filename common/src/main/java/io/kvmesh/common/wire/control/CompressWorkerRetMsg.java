package io.kvmesh.common.wire.control;

/** Number of tokens compressed. */
public record CompressWorkerRetMsg(long numTokens) implements ControlReply {}
