package io.kvmesh.controller.ops;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.lookup.Mismatch;
import io.kvmesh.controller.lookup.Mismatches;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns, once each, of agents that can't help the others of their model because they announce other
 * parameters. Without it such an agent would just never hit. {@link #run} is called from time to
 * time by one thread.
 */
public final class MismatchWatch implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(MismatchWatch.class);

  private final WorkerRegistry registry;
  private final Counter found;
  private volatile Map<WorkerId, Mismatch> known = Map.of();

  public MismatchWatch(WorkerRegistry registry, MeterRegistry meters) {
    this.registry = registry;
    this.found =
        Counter.builder("kvmesh.controller.announcement.mismatches")
            .description("Agents found to announce other parameters than most of their model")
            .register(meters);
    Gauge.builder("kvmesh.controller.workers.mismatched", this, watch -> watch.known.size())
        .description("Agents that announce other parameters than most of their model, now")
        .register(meters);
  }

  @Override
  public void run() {
    Map<WorkerId, Mismatch> now = Mismatches.among(registry.workers());
    now.forEach(
        (worker, mismatch) -> {
          Mismatch before = known.get(worker);
          if (before == null || !Objects.equals(before.fields(), mismatch.fields())) {
            found.increment();
            LOG.warn(
                "{} can't share chunks with the agents of its model: {} differ from {}",
                worker,
                mismatch.fields(),
                mismatch.reference());
          }
        });
    known = Map.copyOf(now);
  }
}
