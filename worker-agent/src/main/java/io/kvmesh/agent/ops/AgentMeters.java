package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.Keeping;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;

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
    bindKeeping(new Figures<>(registry, parts, AgentParts::cache));
    CacheMeters.bind(new Figures<>(registry, parts, it -> it.cache().stats()));
    DoorMeters.bind(registry, parts);
    LogMeters.bind(registry, parts);
    TransferMeters.bind(registry, parts);
  }

  private static void bindKeeping(Figures<ChunkCache> cache) {
    for (Keeping keeping : Keeping.values()) {
      cache.gauge(
          "cache.keeping",
          "1 for what the cache does with chunks: keeps them, keeps them for their lease, nothing",
          it -> it.keeping() == keeping ? 1 : 0,
          "keeping",
          keeping.name().toLowerCase(Locale.ROOT));
    }
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
    agent.gauge(
        "chunk.tokens",
        "Tokens of a full chunk of the agent's model",
        it -> it.self().chunkTokens());
  }
}
