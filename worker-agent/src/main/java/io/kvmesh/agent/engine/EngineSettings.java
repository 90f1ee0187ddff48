package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * How the engine is served.
 *
 * @param sockets of the native door
 * @param bind tcp://host:port
 * @param deadline of a request that names none
 * @param sessionIdle after which a session that nobody used is closed
 * @param leaseLifetime after which a lease that was never read is released
 * @param maxSessions open at once
 * @param maxLeases of one session
 * @param maxLeasedBytes of one session
 * @param maxRequests at work at once
 * @param maxKeys in one request
 * @param storeWait that a store may wait for room; zero = not at all
 * @param handOver memory for engines on this host; empty = they get none
 */
public record EngineSettings(
    SocketSettings sockets,
    String bind,
    Duration deadline,
    Duration sessionIdle,
    Duration leaseLifetime,
    int maxSessions,
    int maxLeases,
    long maxLeasedBytes,
    int maxRequests,
    int maxKeys,
    Duration storeWait,
    Optional<HandOverSettings> handOver) {

  /** A longer deadline counts as this one. */
  public static final Duration LONGEST_DEADLINE = Duration.ofSeconds(30);

  /** How stores come by room. */
  public Reserving storing() {
    return storeWait.isPositive() ? new Reserving.Waiting(storeWait) : new Reserving.Now();
  }
}
