package io.kvmesh.agent.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Everything that the agent counts, as meters named {@code kvmesh.agent.*}. Labels have few values,
 * known beforehand: no key, session or peer is one.
 */
public final class AgentMeters implements MeterBinder {

  private final AgentParts parts;

  /** Of a running agent. */
  public AgentMeters(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    bindIdentity(new Figures<>(registry, parts, it -> it));
    MemoryMeters.bind(new Figures<>(registry, parts, it -> it));
    CacheMeters.bind(new Figures<>(registry, parts, it -> it.cache().stats()));
    DoorMeters.bind(registry, parts);
    LogMeters.bind(registry, parts);
    TransferMeters.bind(registry, parts);
  }

  private static void bindIdentity(Figures<AgentParts> agent) {
    agent.gauge(
        "epoch",
        "Epoch of this life, -1 while Kafka has not acknowledged it",
        it -> it.self().epoch().getAsLong());
    agent.gauge(
        "fenced",
        "1 once a later life of this worker was seen: nothing is offered to peers any more",
        it -> it.self().fenced().getAsBoolean() ? 1 : 0);
  }
}
