package io.kvmesh.controller.ops;

import io.kvmesh.controller.web.access.AccessProblems;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** How many requests were not let in. */
public final class AccessMeters implements MeterBinder {

  private final AccessProblems problems;

  public AccessMeters(AccessProblems problems) {
    this.problems = problems;
  }

  @Override
  public void bindTo(MeterRegistry meters) {
    refused(meters, "unauthenticated", AccessProblems::unauthenticated);
    refused(meters, "forbidden", AccessProblems::forbidden);
    refused(meters, "unchecked", AccessProblems::unchecked);
  }

  private void refused(
      MeterRegistry meters, String reason, ToDoubleFunction<AccessProblems> count) {
    FunctionCounter.builder("kvmesh.controller.access.refused", problems, count)
        .description("REST requests that were not let in, by reason")
        .tag("reason", reason)
        .register(meters);
  }
}
