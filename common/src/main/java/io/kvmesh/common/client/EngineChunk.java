package io.kvmesh.common.client;

import io.kvmesh.common.key.ChunkKey;

/**
 * A chunk that is to be written in place.
 *
 * @param bytes of its body
 * @param tokens that it stands for
 */
public record EngineChunk(ChunkKey key, int bytes, int tokens) {}
