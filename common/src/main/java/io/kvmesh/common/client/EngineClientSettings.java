package io.kvmesh.common.client;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;

/**
 * How an agent is asked.
 *
 * @param agent name for messages
 * @param endpoint of its native door, tcp://host:port
 * @param client name for its log
 * @param timeout of a request that names no time for itself
 * @param maxInFlight requests that wait for an answer; more are refused
 * @param sockets frames must be as long as a chunk, and as many as one request has keys
 */
public record EngineClientSettings(
    String agent,
    String endpoint,
    String client,
    Duration timeout,
    int maxInFlight,
    SocketSettings sockets) {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final int IN_FLIGHT = 256;
  private static final int QUEUE = 1000;
  private static final long FRAME_BYTES = 1L << 30;
  private static final int FRAMES = 16 + (1 << 13);

  /** Checks the ranges. */
  public EngineClientSettings {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("A timeout is positive, got " + timeout);
    }
    if (maxInFlight < 1) {
      throw new IllegalArgumentException("At least 1 request is in flight, got " + maxInFlight);
    }
  }

  /**
   * 2 s, 256 requests in flight, chunks up to 1 GiB, 8192 of them in one answer; the agent is named
   * by its endpoint.
   */
  public static EngineClientSettings of(String endpoint, String client) {
    return new EngineClientSettings(
        endpoint,
        endpoint,
        client,
        TIMEOUT,
        IN_FLIGHT,
        SocketSettings.DEFAULT.withMessages(QUEUE, FRAME_BYTES, FRAMES));
  }

  /** The same, of an agent of that name. */
  public EngineClientSettings withAgent(String name) {
    return new EngineClientSettings(name, endpoint, client, timeout, maxInFlight, sockets);
  }

  /** The same, with that timeout. */
  public EngineClientSettings withTimeout(Duration longest) {
    return new EngineClientSettings(agent, endpoint, client, longest, maxInFlight, sockets);
  }
}
