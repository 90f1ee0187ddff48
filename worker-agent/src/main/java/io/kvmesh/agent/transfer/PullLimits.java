package io.kvmesh.agent.transfer;

/**
 * How a pull is cut up.
 *
 * @param getBytes asked for by one request; more is asked for by several side by side
 * @param maxAttempts at one of them, within the pull's deadline
 */
public record PullLimits(long getBytes, int maxAttempts) {}
