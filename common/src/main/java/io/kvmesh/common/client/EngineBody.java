package io.kvmesh.common.client;

import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;

/**
 * A chunk that is to be sent.
 *
 * @param body copied before it is sent
 * @param tokens that it stands for
 */
public record EngineBody(ChunkKey key, MemorySegment body, int tokens) {}
