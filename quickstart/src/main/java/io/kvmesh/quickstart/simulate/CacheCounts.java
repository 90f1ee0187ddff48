package io.kvmesh.quickstart.simulate;

/**
 * What a replay on one cache comes to, in chunks.
 *
 * @param hits in the resident prefixes
 * @param misses the rest of the prompts
 * @param notStored misses for which nothing could be evicted
 * @param evictions of the whole replay
 * @param resident at the end
 */
public record CacheCounts(long hits, long misses, long notStored, long evictions, long resident) {}
