package io.kvmesh.common.wire.peer;

/** How many chunks were read. */
public record BatchedLookupAndPutRetMsg(int numReadChunks) implements PeerReply {}
