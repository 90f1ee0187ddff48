package io.kvmesh.controller.lmcache;

import io.kvmesh.common.zmq.Multipart;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what is no message and logs some of it: enough to find the sender, never a line for each.
 * Owned by a socket's thread.
 */
final class Garbage {

  private static final Logger LOG = LoggerFactory.getLogger(Garbage.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int SHOWN_BYTES = 16;

  private final FrontCounts.Door door;
  private final FrontCounts counts;
  private final LongSupplier nanoTime;
  private long lastLogNanos;
  private long unlogged;

  Garbage(FrontCounts.Door door, FrontCounts counts, LongSupplier nanoTime) {
    this.door = door;
    this.counts = counts;
    this.nanoTime = nanoTime;
    this.lastLogNanos = nanoTime.getAsLong() - LOG_INTERVAL_NANOS;
  }

  void frame(Multipart message, byte[] frame, String reason) {
    counts.garbage(door);
    if (isDue()) {
      LOG.warn(
          "No message on {} from {}: {} bytes, beginning {}: {} ({} more not shown)",
          door,
          message.peerAddress(),
          frame.length,
          HexFormat.of().formatHex(frame, 0, Math.min(SHOWN_BYTES, frame.length)),
          reason,
          unlogged);
      unlogged = 0;
    }
  }

  void message(Multipart message, String reason) {
    counts.garbage(door);
    if (isDue()) {
      LOG.warn("No message on {}: {}: {} ({} more not shown)", door, message, reason, unlogged);
      unlogged = 0;
    }
  }

  private boolean isDue() {
    long now = nanoTime.getAsLong();
    if (now - lastLogNanos < LOG_INTERVAL_NANOS) {
      unlogged++;
      return false;
    }
    lastLogNanos = now;
    return true;
  }
}
