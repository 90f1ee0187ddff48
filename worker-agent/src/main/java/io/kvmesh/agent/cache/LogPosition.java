package io.kvmesh.agent.cache;

/**
 * The contents of the cache at one moment, in short.
 *
 * @param sequence number of the last event, 0 before the first
 * @param residentCount number of resident chunks
 * @param digest order-free digest of the resident chunks, see PlacementDigest
 */
public record LogPosition(long sequence, int residentCount, long digest) {}
