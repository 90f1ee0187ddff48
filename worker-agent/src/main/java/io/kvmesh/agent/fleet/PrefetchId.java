package io.kvmesh.agent.fleet;

/**
 * Which prefetch.
 *
 * @param group who has begun it: a group's prefetches can be ended together
 * @param name one of the group's
 */
public record PrefetchId(String group, String name) {}
