package io.kvmesh.common.wire;

import io.kvmesh.common.key.ChunkHash;

/** One operation of a batch, with its number. A map without {@code type}. */
public record KVOpEvent(OpType opType, ChunkHash key, long seqNum) {}
