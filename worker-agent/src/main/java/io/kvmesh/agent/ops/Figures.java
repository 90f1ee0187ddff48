package io.kvmesh.agent.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Registers meters that read a figure of one part of the agent whenever they are scraped.
 *
 * @param <S> what the figures are read from
 */
record Figures<S>(MeterRegistry registry, AgentParts parts, Function<AgentParts, S> source) {

  /** Before the name of every meter of this program. */
  static final String PREFIX = "kvmesh.agent.";

  /**
   * A figure that rises and falls.
   *
   * @param tags keys and values in turn
   */
  void gauge(String name, String description, ToDoubleFunction<S> figure, String... tags) {
    Gauge.builder(PREFIX + name, parts, it -> figure.applyAsDouble(source.apply(it)))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  /**
   * A figure that only rises.
   *
   * @param tags keys and values in turn
   */
  void counter(String name, String description, ToDoubleFunction<S> figure, String... tags) {
    FunctionCounter.builder(PREFIX + name, parts, it -> figure.applyAsDouble(source.apply(it)))
        .description(description)
        .tags(tags)
        .register(registry);
  }
}
