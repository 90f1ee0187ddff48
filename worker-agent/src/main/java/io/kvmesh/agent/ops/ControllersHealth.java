package io.kvmesh.agent.ops;

import io.kvmesh.agent.directory.ControllerDirectory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while a controller answers; unknown where there is none. */
public final class ControllersHealth implements HealthIndicator {

  private final AgentParts parts;

  /** Of a running agent. */
  public ControllersHealth(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public Health health() {
    ControllerDirectory directory = parts.directory();
    Health.Builder health;
    if (directory.controllers() == 0) {
      health = Health.unknown();
    } else {
      health = directory.reachable() ? Health.up() : Health.down();
    }
    return health
        .withDetail("controllers", directory.controllers())
        .withDetail("notFailing", directory.notFailing())
        .build();
  }
}
