package io.kvmesh.controller.ops;

import io.kvmesh.controller.index.LocalView;
import io.kvmesh.controller.ingest.IngestStatus;
import io.kvmesh.controller.ingest.PartitionLag;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up once the view has been read to the log's end: then lookups are answered. That it is full, or
 * nearly, is said and no fault: what it holds is right.
 */
public final class IndexHealth implements HealthIndicator {

  private final Supplier<IngestStatus> status;
  private final LocalView index;

  public IndexHealth(Supplier<IngestStatus> status, LocalView index) {
    this.status = status;
    this.index = index;
  }

  @Override
  public Health health() {
    IngestStatus now = status.get();
    Health.Builder health = now.ready() ? Health.up() : Health.outOfService();
    return health
        .withDetail("partitions", now.lags().size())
        .withDetail("lagRecords", now.lags().stream().mapToLong(PartitionLag::records).sum())
        .withDetail("servedFrom", index.keepsChunks() ? "memory" : "redis")
        .withDetail("placementsInMemory", index.entries())
        .withDetail("full", !index.hasRoom())
        .build();
  }
}
