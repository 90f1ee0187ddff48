package io.kvmesh.quickstart.replay;

/**
 * What was measured, in nanoseconds; all 0 where there was nothing to measure.
 *
 * @param count number of samples
 */
public record Latency(long count, long p50Nanos, long p99Nanos) {}
