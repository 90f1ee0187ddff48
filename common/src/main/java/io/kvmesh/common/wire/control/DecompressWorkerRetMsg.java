package io.kvmesh.common.wire.control;

/** Number of tokens decompressed. */
public record DecompressWorkerRetMsg(long numTokens) implements ControlReply {}
