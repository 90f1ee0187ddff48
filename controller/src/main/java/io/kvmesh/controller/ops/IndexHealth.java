package io.kvmesh.controller.ops;

import io.kvmesh.controller.ingest.IngestStatus;
import io.kvmesh.controller.ingest.PartitionLag;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up once the view has been read to the log's end: then lookups are answered. */
public final class IndexHealth implements HealthIndicator {

  private final Supplier<IngestStatus> status;

  public IndexHealth(Supplier<IngestStatus> status) {
    this.status = status;
  }

  @Override
  public Health health() {
    IngestStatus now = status.get();
    Health.Builder health = now.ready() ? Health.up() : Health.outOfService();
    return health
        .withDetail("partitions", now.lags().size())
        .withDetail("lagRecords", now.lags().stream().mapToLong(PartitionLag::records).sum())
        .build();
  }
}
