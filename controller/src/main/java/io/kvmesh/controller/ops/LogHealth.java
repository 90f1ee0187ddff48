package io.kvmesh.controller.ops;

import io.kvmesh.controller.ingest.IngestStatus;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while Kafka answers. Lookups go on without it. */
public final class LogHealth implements HealthIndicator {

  private final Supplier<IngestStatus> status;

  public LogHealth(Supplier<IngestStatus> status) {
    this.status = status;
  }

  @Override
  public Health health() {
    return status.get().logReachable() ? Health.up().build() : Health.down().build();
  }
}
