package io.kvmesh.agent.ops;

import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.PageArena;

/**
 * The cache's arena.
 *
 * @param capacity how its size came about
 * @param arena itself
 */
public record ArenaView(ArenaCapacity capacity, PageArena arena) {}
