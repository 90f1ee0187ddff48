package io.kvmesh.agent.cache;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes off pins whose owners neither renewed them nor took them off. So a pin ends at the latest
 * its lifetime and one interval after it was made. One thread of its own.
 */
public final class PinMonitor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PinMonitor.class);

  private final ChunkPins pins;
  private final Duration interval;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("pin-monitor").factory());
  private @Nullable ScheduledFuture<?> running;

  /** Assigns only. */
  public PinMonitor(ChunkPins pins, Duration interval) {
    this.pins = pins;
    this.interval = interval;
  }

  /** Looks at the pins from now on. */
  public void start() {
    running =
        thread.scheduleWithFixedDelay(
            this::look, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void look() {
    try {
      int forced = pins.expire();
      if (forced > 0) {
        LOG.warn("{} pins were taken off: their owners kept them for too long", forced);
      }
    } catch (RuntimeException | Error e) {
      LOG.error("Pins could not be looked at", e);
    }
  }

  @Override
  public void close() {
    if (running != null) {
      running.cancel(false);
    }
    thread.shutdownNow();
  }
}
