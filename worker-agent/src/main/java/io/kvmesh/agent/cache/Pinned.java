package io.kvmesh.agent.cache;

/**
 * What came of pinning a prefix.
 *
 * @param chunks how many of its first chunks the owner has pinned now
 * @param tokens how many tokens these stand for
 * @param refused chunks that are resident and were not pinned, since too many are
 */
public record Pinned(int chunks, long tokens, int refused) {}
