package io.kvmesh.controller.ops;

import io.kvmesh.controller.ingest.IngestStatus;
import io.kvmesh.controller.log.TopicMisfit;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while Kafka answers, whatever the topic is like. Lookups go on without it. */
public final class LogHealth implements HealthIndicator {

  private final Supplier<IngestStatus> status;
  private final Supplier<List<TopicMisfit>> misfits;

  public LogHealth(Supplier<IngestStatus> status, Supplier<List<TopicMisfit>> misfits) {
    this.status = status;
    this.misfits = misfits;
  }

  @Override
  public Health health() {
    IngestStatus now = status.get();
    Health.Builder health = now.logReachable() ? Health.up() : Health.down();
    if (now.logFailure() != null) {
      health.withDetail("failure", now.logFailure());
    }
    List<TopicMisfit> found = misfits.get();
    return found.isEmpty() ? health.build() : health.withDetail("misfits", found).build();
  }
}
