package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.Keeping;
import java.util.Locale;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up with what the cache keeps; unknown where it is meant to keep nothing. */
public final class CacheHealth implements HealthIndicator {

  private final AgentParts parts;

  /** Of a running agent. */
  public CacheHealth(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public Health health() {
    Keeping keeping = parts.cache().keeping();
    CacheStats stats = parts.cache().stats();
    Health.Builder health =
        keeping == Keeping.NOTHING
            ? Health.unknown().withDetail("reason", "chunks are kept on the first rank alone")
            : Health.up();
    return health
        .withDetail("keeping", keeping.name().toLowerCase(Locale.ROOT))
        .withDetail("capacityBytes", stats.room().capacityBytes())
        .withDetail("freeBytes", stats.room().freeBytes())
        .withDetail("budgetBytes", stats.room().budgetBytes())
        .build();
  }
}
