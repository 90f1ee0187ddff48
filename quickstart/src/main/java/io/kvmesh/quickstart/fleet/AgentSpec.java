package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.options.Policy;

/**
 * One agent.
 *
 * @param name its instance id
 * @param model that its engine runs; agents of different models have nothing for each other
 * @param policy what its cache evicts first
 * @param chunks room of its cache
 */
public record AgentSpec(String name, String model, Policy policy, int chunks) {}
