package io.kvmesh.controller.ops;

import io.kvmesh.controller.index.redis.RedisCare;
import io.kvmesh.controller.ingest.IngestStatus;
import java.util.Objects;
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
    IngestStatus now = status.get();
    return switch (now.durable()) {
      case UP -> up(now);
      case OFF -> Health.up().withDetail("reason", "no durable view is set up").build();
      case AWAY ->
          Health.down()
              .withDetail(
                  "reason",
                  Objects.requireNonNullElse(now.durableFailure(), "it has not been asked yet"))
              .build();
      case UNSUPPORTED ->
          Health.down()
              .withDetail(
                  "reason",
                  "it was written by a later version: upgrade this controller, its log has the"
                      + " formats")
              .build();
    };
  }

  private static Health up(IngestStatus now) {
    Health.Builder health = Health.up();
    if (!now.evictionPolicy().equals(RedisCare.NO_EVICTION)) {
      health.withDetail(
          "misfit",
          "maxmemory-policy is %s, where %s is needed: keys may be dropped"
              .formatted(now.evictionPolicy(), RedisCare.NO_EVICTION));
    }
    return health.build();
  }
}
