package io.kvmesh.controller.web;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that names chunks, in one of three ways.
 *
 * @param hashes of the chunks in order
 * @param keys as LMCache writes them; they carry their keyspace
 * @param tokens of a prompt, cut and hashed as the engines do it
 * @param partialChunk whether the tokens after the last full chunk are a chunk too; absent = no
 * @param keyspace of hashes or tokens
 */
record ChunkNames(
    @Nullable List<@Nullable HashValue> hashes,
    @Nullable List<@Nullable String> keys,
    @Nullable List<@Nullable Long> tokens,
    @Nullable Boolean partialChunk,
    @Nullable String keyspace) {}
