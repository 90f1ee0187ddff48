package io.kvmesh.agent.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Asks for an arena's features, one after the other, and notes what became of each. */
final class FeatureRequests {

  private final ArenaOptions options;
  private final List<FeatureOutcome> outcomes = new ArrayList<>();

  FeatureRequests(ArenaOptions options) {
    this.options = options;
  }

  /**
   * Asks, if that is wanted at all.
   *
   * @param attempt answers why it is not had; empty = it is
   * @return whether it is had
   * @throws ArenaException if it is required and not had
   */
  boolean ask(MemoryFeature feature, Supplier<String> attempt) {
    Demand demand = options.demand(feature);
    String reason = demand == Demand.OFF ? "" : attempt.get();
    if (demand == Demand.REQUIRED && !reason.isEmpty()) {
      throw new ArenaException(
          "An arena of %d bytes requires %s, which is not to be had: %s"
              .formatted(options.byteSize(), feature.text(), reason));
    }
    boolean had = demand != Demand.OFF && reason.isEmpty();
    outcomes.add(new FeatureOutcome(feature, demand, had, reason));
    return had;
  }

  /** Whether it was asked for and is had. */
  boolean had(MemoryFeature feature) {
    return outcomes.stream().anyMatch(it -> it.feature() == feature && it.had());
  }

  List<FeatureOutcome> outcomes() {
    return List.copyOf(outcomes);
  }
}
