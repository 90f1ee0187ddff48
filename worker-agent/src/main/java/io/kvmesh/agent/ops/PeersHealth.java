package io.kvmesh.agent.ops;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Up while this agent can offer chunks to peers and find theirs. */
public final class PeersHealth implements HealthIndicator {

  private final AgentParts parts;

  /** Of a running agent. */
  public PeersHealth(AgentParts parts) {
    this.parts = parts;
  }

  @Override
  public Health health() {
    boolean offers = parts.self().offers();
    boolean finds = parts.directory().controllers() == 0 || parts.directory().reachable();
    return (offers && finds ? Health.up() : Health.outOfService())
        .withDetail("epoch", parts.self().epoch().getAsLong())
        .withDetail("fenced", parts.self().fenced().getAsBoolean())
        .withDetail("controllerReachable", parts.directory().reachable())
        .build();
  }
}
