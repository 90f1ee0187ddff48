package io.kvmesh.controller.ops;

import io.kvmesh.controller.ingest.IngestStatus;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while Redis takes changes. Lookups go on without it, and nothing is lost meanwhile. */
public final class DurableViewHealth implements HealthIndicator {

  private final Supplier<IngestStatus> status;

  public DurableViewHealth(Supplier<IngestStatus> status) {
    this.status = status;
  }

  @Override
  public Health health() {
    return switch (status.get().durable()) {
      case UP -> Health.up().build();
      case OFF -> Health.up().withDetail("reason", "no durable view is set up").build();
      case AWAY -> Health.down().withDetail("reason", "it did not answer last").build();
      case UNSUPPORTED ->
          Health.down()
              .withDetail(
                  "reason",
                  "it was written by a later version: upgrade this controller, its log has the"
                      + " formats")
              .build();
    };
  }
}
