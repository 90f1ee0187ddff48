package io.kvmesh.common.wire.peer;

/** The bytes of a loan were read. There is no reply. */
public record BatchedGetDoneMsg(long loanId) implements PeerRequest {}
