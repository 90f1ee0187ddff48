package io.kvmesh.common.wire.peer;

/** A move is over: what it brought needn't be held any more. There is no reply. */
public record BatchedPutDoneMsg(String senderId, long moveId) implements PeerRequest {}
