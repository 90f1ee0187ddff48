package io.kvmesh.agent.ops;

import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.FeatureOutcome;
import io.kvmesh.agent.memory.MemoryFeature;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

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
    agent.gauge(
        "memory.capacity.bytes",
        "Size of the arena, 0 where there is none",
        of(it -> it.arena().byteSize()));
    agent.gauge(
        "memory.configured.bytes",
        "Size of the arena as configured",
        of(it -> it.capacity().configuredBytes()));
    agent.gauge(
        "memory.reserve.bytes",
        "Memory that the arena leaves to everything else",
        of(it -> it.capacity().reserveBytes()));
    agent.gauge(
        "memory.available.bytes",
        "Memory that was available at the start, -1 where that is unknown",
        of(it -> availableBytes(it.capacity())));
  }

  /** Of the arena, or 0. */
  private static ToDoubleFunction<AgentParts> of(ToDoubleFunction<ArenaView> figure) {
    return parts -> parts.arena().map(figure::applyAsDouble).orElse(0.0);
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
        of(it -> it.arena().features().stream().anyMatch(is(feature).and(holds)) ? 1 : 0),
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
