package io.kvmesh.agent.cache;

/**
 * On whose behalf chunks are pinned.
 *
 * @param group what ends as a whole, such as a client's session
 * @param name within the group, such as a request; pinning again under one name pins nothing twice
 */
public record PinOwner(String group, String name) {}
