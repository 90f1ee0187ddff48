package io.kvmesh.controller.ops;

import io.kvmesh.controller.command.CommandCounts;
import io.kvmesh.controller.command.CommandService;
import io.kvmesh.controller.command.WorkerOutcome;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;

/** Commands to workers, in numbers. */
public final class CommandMeters implements MeterBinder {

  private static final String PREFIX = "kvmesh.controller.command";

  private final CommandService commands;
  private final CommandCounts counts;

  public CommandMeters(CommandService commands, CommandCounts counts) {
    this.commands = commands;
    this.counts = counts;
  }

  @Override
  public void bindTo(MeterRegistry meters) {
    Gauge.builder(PREFIX + ".running", commands, CommandService::running)
        .description("Commands under way")
        .register(meters);
    for (WorkerOutcome.Kind kind : WorkerOutcome.Kind.values()) {
      FunctionCounter.builder(PREFIX + ".workers", counts, it -> it.outcomes(kind))
          .description("Commands at a worker that are over, by outcome")
          .tag("outcome", kind.name().toLowerCase(Locale.ROOT))
          .register(meters);
    }
    for (CommandCounts.Refusal why : CommandCounts.Refusal.values()) {
      FunctionCounter.builder(PREFIX + ".refused", counts, it -> it.refusals(why))
          .description("Commands that were not taken, by reason")
          .tag("reason", why.name().toLowerCase(Locale.ROOT))
          .register(meters);
    }
  }
}
