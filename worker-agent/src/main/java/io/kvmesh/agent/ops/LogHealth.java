package io.kvmesh.agent.ops;

import io.kvmesh.agent.event.PublisherStats;
import java.util.Optional;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up once Kafka has acknowledged this life; without it the agent serves its engine and no peer. */
public final class LogHealth implements HealthIndicator {

  private final AgentParts parts;

  /** Of a running agent. */
  public LogHealth(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public Health health() {
    Optional<PublisherStats> log = parts.log().get();
    Health.Builder health = log.isPresent() && log.get().epoch() >= 0 ? Health.up() : Health.down();
    log.ifPresent(
        stats ->
            health
                .withDetail("epoch", stats.epoch())
                .withDetail("queued", stats.queued())
                .withDetail("dropped", stats.dropped())
                .withDetail("failedSends", stats.failedSends()));
    return health.build();
  }
}
