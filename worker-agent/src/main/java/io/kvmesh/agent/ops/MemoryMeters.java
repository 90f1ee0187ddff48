package io.kvmesh.agent.ops;

import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.FeatureOutcome;
import io.kvmesh.agent.memory.MemoryFeature;
import java.util.Locale;
import java.util.function.Predicate;

/** How large the arena is and why, and what the system granted of what was asked for it. */
final class MemoryMeters {

  private MemoryMeters() {}

  static void bind(Figures<AgentParts> agent) {
    bindCapacity(agent);
    for (MemoryFeature feature : MemoryFeature.values()) {
      bind(agent, feature, "asked", FeatureOutcome::asked);
      bind(agent, feature, "had", FeatureOutcome::had);
    }
  }

  private static void bindCapacity(Figures<AgentParts> agent) {
    agent.gauge("memory.capacity.bytes", "Size of the arena", it -> it.arena().byteSize());
    agent.gauge(
        "memory.configured.bytes",
        "Size of the arena as configured",
        it -> it.capacity().configuredBytes());
    agent.gauge(
        "memory.reserve.bytes",
        "Memory that the arena leaves to everything else",
        it -> it.capacity().reserveBytes());
    agent.gauge(
        "memory.available.bytes",
        "Memory that was available at the start, -1 where that is unknown",
        it -> availableBytes(it.capacity()));
  }

  static long availableBytes(ArenaCapacity capacity) {
    return capacity.available() instanceof AvailableMemory.Known known ? known.bytes() : -1;
  }

  private static void bind(
      Figures<AgentParts> agent,
      MemoryFeature feature,
      String state,
      Predicate<FeatureOutcome> holds) {
    agent.gauge(
        "memory.feature",
        "1 for what was asked of the system for the arena, and for what it granted",
        it -> it.arena().features().stream().anyMatch(is(feature).and(holds)) ? 1 : 0,
        "feature",
        name(feature),
        "state",
        state);
  }

  private static Predicate<FeatureOutcome> is(MemoryFeature feature) {
    return outcome -> outcome.feature() == feature;
  }

  static String name(MemoryFeature feature) {
    return feature.name().toLowerCase(Locale.ROOT);
  }
}
