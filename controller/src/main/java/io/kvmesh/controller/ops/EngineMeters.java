package io.kvmesh.controller.ops;

import io.kvmesh.controller.vllm.EngineCounts;
import io.kvmesh.controller.vllm.EngineEvents;
import io.kvmesh.controller.vllm.EngineState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Gauges and counters of the engines that are listened to, read when they are scraped. */
public final class EngineMeters implements MeterBinder {

  private static final String PREFIX = "kvmesh.controller.vllm.";

  private final EngineEvents events;
  private final EngineCounts counts;

  public EngineMeters(EngineEvents events, EngineCounts counts) {
    this.events = events;
    this.counts = counts;
  }

  @Override
  public void bindTo(MeterRegistry meters) {
    for (EngineState state : EngineState.values()) {
      Gauge.builder(PREFIX + "engines", events, it -> it.engines(state))
          .description("Engines in the settings, by how it stands with them")
          .tags("state", lower(state))
          .register(meters);
    }
    count(meters, "batches", "Batches of events taken", EngineCounts::batches);
    count(meters, "operations", "Blocks stored or removed in them", EngineCounts::operations);
    count(meters, "garbage", "Messages of engines that are no events", EngineCounts::garbages);
    count(meters, "gaps", "Times that batches were missing", EngineCounts::gaps);
    count(meters, "losses", "Times that those were not to be had any more", EngineCounts::losses);
    count(meters, "replays", "Times that past batches were asked for", EngineCounts::replays);
    count(
        meters,
        "replay.failures",
        "Times that past batches did not come in time",
        EngineCounts::replayFailures);
    count(
        meters,
        "overflows",
        "Batches that found no room to wait, and were asked for again",
        EngineCounts::overflows);
    count(
        meters,
        "log.failures",
        "Times that the log did not take what an engine told",
        EngineCounts::logFailures);
    for (EngineCounts.Ignored why : EngineCounts.Ignored.values()) {
      counter(
          meters,
          "ignored",
          "Events that changed nothing, by reason",
          Tags.of("reason", lower(why)),
          it -> it.ignoreds(why));
    }
    for (EngineCounts.Cleared why : EngineCounts.Cleared.values()) {
      counter(
          meters,
          "cleared",
          "Times that the index was emptied of an engine, by reason",
          Tags.of("reason", lower(why)),
          it -> it.cleareds(why));
    }
  }

  private void count(
      MeterRegistry meters, String name, String description, ToDoubleFunction<EngineCounts> read) {
    counter(meters, name, description, Tags.empty(), read);
  }

  private void counter(
      MeterRegistry meters,
      String name,
      String description,
      Tags tags,
      ToDoubleFunction<EngineCounts> read) {
    FunctionCounter.builder(PREFIX + name, counts, read)
        .description(description)
        .tags(tags)
        .register(meters);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
