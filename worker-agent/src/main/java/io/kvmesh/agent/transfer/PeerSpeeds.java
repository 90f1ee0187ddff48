package io.kvmesh.agent.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;

/**
 * How fast peers have delivered lately, in bytes a second: a mean in which the last bytes weigh
 * most. What is old is forgotten, so that a peer that was slow is tried again. Bounded: the peer
 * that was longest not heard of is forgotten first. Any thread; guarded by itself.
 */
final class PeerSpeeds {

  /** So many new bytes weigh as much as all those before. */
  private static final double MEMORY_BYTES = 16 << 20;

  private static final long FORGET_NANOS = Duration.ofSeconds(60).toNanos();
  private static final double NANOS_PER_SECOND = 1e9;

  private record Speed(double bytesPerSecond, long atNanos) {}

  private final LongSupplier nanoTime;

  @GuardedBy("this")
  private final Map<String, Speed> byPeer;

  PeerSpeeds(int mostPeers, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.byPeer = new LastUsed<>(mostPeers);
  }

  /** The peer took that long for that much. */
  synchronized void delivered(String peer, long bytes, long nanos) {
    if (bytes <= 0) {
      return;
    }
    double now = bytes * NANOS_PER_SECOND / Math.max(1, nanos);
    OptionalDouble before = of(peer);
    double weight = before.isPresent() ? bytes / (bytes + MEMORY_BYTES) : 1;
    double mean = weight * now + (1 - weight) * before.orElse(now);
    byPeer.put(peer, new Speed(mean, nanoTime.getAsLong()));
  }

  /** The peer's speed, if it is known. */
  synchronized OptionalDouble of(String peer) {
    Speed speed = byPeer.get(peer);
    return speed == null || nanoTime.getAsLong() - speed.atNanos() > FORGET_NANOS
        ? OptionalDouble.empty()
        : OptionalDouble.of(speed.bytesPerSecond());
  }
}
