package io.kvmesh.common.zmq;

import java.time.Duration;
import java.util.Optional;

/**
 * How a socket behaves.
 *
 * @param handshakeInterval an outgoing connection whose ZMTP handshake takes longer is cut off and
 *     made anew; the cure for connections on which JeroMQ never starts it. It doubles after each
 *     cut-off, up to 5 s
 * @param reconnectInterval first pause before connecting again; it doubles up to the maximum
 * @param maxReconnectInterval longest pause before connecting again
 * @param heartbeatInterval pause between ZMTP pings; never shorter than the timeout, whatever is
 *     set, since JeroMQ forgets a timeout that it sets again before the former one would have
 *     passed
 * @param heartbeatTimeout silence after a ping that ends a connection
 * @param highWaterMark messages queued for a peer, and from it, at most
 * @param maxFrameBytes a peer that sends a longer frame loses its connection
 * @param maxFrames a message of more frames is dropped and counted
 * @param maxConnections open at once at a listening socket; beyond, one that has shown nothing but
 *     its greeting gives way to a new one
 * @param keys who listens lets in nobody else than who has them, who connects shows that it has
 *     them, and all is encrypted; empty = none of this
 */
public record SocketSettings(
    Duration handshakeInterval,
    Duration reconnectInterval,
    Duration maxReconnectInterval,
    Duration heartbeatInterval,
    Duration heartbeatTimeout,
    int highWaterMark,
    long maxFrameBytes,
    int maxFrames,
    int maxConnections,
    Optional<CurveKeys> keys) {

  /**
   * The shortest handshake interval with keys. A handshake took 30 ms where the library's code
   * wasn't compiled yet.
   */
  private static final Duration CURVE_HANDSHAKE_INTERVAL = Duration.ofMillis(500);

  /** Fit for one data centre and frames of up to 16 MiB. */
  public static final SocketSettings DEFAULT =
      new SocketSettings(
          Duration.ofMillis(200),
          Duration.ofMillis(10),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofSeconds(4),
          1000,
          16L << 20,
          4096,
          4096,
          Optional.empty());

  /** Checks that all are positive. */
  public SocketSettings {
    requirePositive("handshake interval", handshakeInterval.toMillis());
    requirePositive("reconnect interval", reconnectInterval.toMillis());
    requirePositive("longest reconnect interval", maxReconnectInterval.toMillis());
    requirePositive("heartbeat interval", heartbeatInterval.toMillis());
    requirePositive("heartbeat timeout", heartbeatTimeout.toMillis());
    requirePositive("high-water mark", highWaterMark);
    requirePositive("largest frame", maxFrameBytes);
    requirePositive("largest number of frames", maxFrames);
    requirePositive("largest number of connections", maxConnections);
  }

  /** The same with another handshake interval. */
  public SocketSettings withHandshakeInterval(Duration interval) {
    return new SocketSettings(
        interval,
        reconnectInterval,
        maxReconnectInterval,
        heartbeatInterval,
        heartbeatTimeout,
        highWaterMark,
        maxFrameBytes,
        maxFrames,
        maxConnections,
        keys);
  }

  /** The same with other heartbeats. */
  public SocketSettings withHeartbeat(Duration interval, Duration timeout) {
    return new SocketSettings(
        handshakeInterval,
        reconnectInterval,
        maxReconnectInterval,
        interval,
        timeout,
        highWaterMark,
        maxFrameBytes,
        maxFrames,
        maxConnections,
        keys);
  }

  /** The same with other bounds for messages. */
  public SocketSettings withMessages(int highWaterMark, long maxFrameBytes, int maxFrames) {
    return new SocketSettings(
        handshakeInterval,
        reconnectInterval,
        maxReconnectInterval,
        heartbeatInterval,
        heartbeatTimeout,
        highWaterMark,
        maxFrameBytes,
        maxFrames,
        maxConnections,
        keys);
  }

  /** The same with another bound for the connections of a listening socket. */
  public SocketSettings withMaxConnections(int most) {
    return new SocketSettings(
        handshakeInterval,
        reconnectInterval,
        maxReconnectInterval,
        heartbeatInterval,
        heartbeatTimeout,
        highWaterMark,
        maxFrameBytes,
        maxFrames,
        most,
        keys);
  }

  /** The same, open to all and in the clear. */
  public SocketSettings withoutKeys() {
    return withKeys(Optional.empty());
  }

  /** The same with other keys, or without. */
  public SocketSettings withKeys(Optional<CurveKeys> with) {
    return new SocketSettings(
        handshakeInterval,
        reconnectInterval,
        maxReconnectInterval,
        heartbeatInterval,
        heartbeatTimeout,
        highWaterMark,
        maxFrameBytes,
        maxFrames,
        maxConnections,
        with);
  }

  /** The handshake interval that a connection gets, which is longer with keys. */
  Duration effectiveHandshakeInterval() {
    boolean raised = keys.isPresent() && handshakeInterval.compareTo(CURVE_HANDSHAKE_INTERVAL) < 0;
    return raised ? CURVE_HANDSHAKE_INTERVAL : handshakeInterval;
  }

  private static void requirePositive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("The " + name + " of a socket is positive, got " + value);
    }
  }
}
