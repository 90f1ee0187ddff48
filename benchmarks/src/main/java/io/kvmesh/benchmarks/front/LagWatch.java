package io.kvmesh.benchmarks.front;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks four times a second how many admits and evicts were said that a view hasn't applied yet. A
 * thread of its own.
 */
final class LagWatch implements AutoCloseable {

  private static final int PERIOD_MILLIS = 250;
  private static final long PAUSE_NANOS = 10_000_000;

  private final ControllerEnd controller;
  private final boolean redis;
  private final LongSupplier said;
  private final Thread thread;
  private final Object lock = new Object();
  private final List<Long> lags = new ArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Exception failure;

  /**
   * @param redis whether there are two views: the one farther behind counts
   * @param said admits and evicts so far
   */
  LagWatch(ControllerEnd controller, boolean redis, LongSupplier said) {
    this.controller = controller;
    this.redis = redis;
    this.said = said;
    this.thread = Thread.ofPlatform().name("lag-watch").daemon().start(this::watch);
  }

  private void watch() {
    try {
      do {
        long lag = lag(controller, redis, said);
        synchronized (lock) {
          lags.add(lag);
        }
      } while (!closing.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (IOException | InterruptedException e) {
      failure = e;
    }
  }

  private static long lag(ControllerEnd controller, boolean redis, LongSupplier said)
      throws IOException, InterruptedException {
    long before = said.getAsLong();
    ControllerEnd.Counted counted = controller.counted();
    long applied = redis ? Math.min(counted.memory(), counted.durable()) : counted.memory();
    return Math.max(0, before - applied);
  }

  /** Waits until all that was said is applied. */
  static void awaitNone(ControllerEnd controller, boolean redis, LongSupplier said, long limitNanos)
      throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + limitNanos;
    long lag = lag(controller, redis, said);
    while (lag > 0) {
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException(
            "%,d operations were not applied, %s:%n%s"
                .formatted(lag, controller.counted(), controller.tail()));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      lag = lag(controller, redis, said);
    }
  }

  /** What was seen so far, in the order of time. */
  LagSamples samples() throws IOException {
    Exception seen = failure;
    if (seen != null) {
      throw new IOException(seen);
    }
    synchronized (lock) {
      return new LagSamples(lags.stream().mapToLong(Long::longValue).toArray());
    }
  }

  /** The last of them; 0 if there is none yet. */
  long latest() {
    synchronized (lock) {
      return lags.isEmpty() ? 0 : lags.getLast();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
