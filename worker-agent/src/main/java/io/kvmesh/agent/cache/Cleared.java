package io.kvmesh.agent.cache;

/**
 * What a clear removed.
 *
 * @param chunks how many chunks
 * @param tokens how many tokens they stood for
 * @param sequence number of the last event once they were gone
 */
public record Cleared(int chunks, long tokens, long sequence) {}
