package io.kvmesh.controller.ingest;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that reads the log for as long as the program runs: a failure of Kafka or Redis ends a
 * turn, and after a pause, longer each time in a row, the next one begins.
 */
final class ReaderThread {

  private static final Logger log = LoggerFactory.getLogger(ReaderThread.class);
  private static final long FIRST_PAUSE_MILLIS = 250;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;

  private final String name;
  private final Turn turn;
  private final IngestCounters counters;
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Thread thread;
  private volatile @Nullable String lastFailure;

  /** What is done until it fails, or the thread is closing. */
  interface Turn {

    /** Returns when the thread is closing. */
    void run(ReaderThread thread) throws InterruptedException;
  }

  ReaderThread(String name, Turn turn, IngestCounters counters) {
    this.name = name;
    this.turn = turn;
    this.counters = counters;
  }

  synchronized void start() {
    if (thread == null && !isClosing()) {
      thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }
  }

  boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Why the last turn ended that has failed; null if none has, or nothing was said. Any thread. */
  @Nullable String lastFailure() {
    return lastFailure;
  }

  /** Waits, unless the thread is closing. */
  void pause(Duration time) throws InterruptedException {
    if (closing.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
      log.debug("{} is closing", name);
    }
  }

  private void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    try {
      while (!isClosing()) {
        long started = System.nanoTime();
        try {
          turn.run(this);
        } catch (RuntimeException e) {
          failed(e);
          log.warn("{} begins anew: {}", name, e.toString());
          log.debug("Cause", e);
        } catch (Error e) {
          // Else the view would stand still for good, and answer as if it didn't.
          failed(e);
          log.error("{} begins anew after a fault of this program", name, e);
        }
        boolean lasted =
            System.nanoTime() - started > TimeUnit.MILLISECONDS.toNanos(2 * LONGEST_PAUSE_MILLIS);
        pauseMillis = lasted ? FIRST_PAUSE_MILLIS : pauseMillis;
        pause(Duration.ofMillis(pauseMillis));
        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      log.debug("{} was interrupted", name);
    }
  }

  private void failed(Throwable failure) {
    counters.failures.increment();
    lastFailure = failure.getMessage();
  }

  /** Asks the thread to end; see {@link #join}. */
  void close() {
    closing.countDown();
  }

  /** Waits until the thread has ended, at most as long as given; then it is interrupted. */
  synchronized void join(Duration timeout) {
    Thread running = thread;
    if (running == null) {
      return;
    }
    try {
      if (!running.join(timeout)) {
        log.warn("{} doesn't end within {}", name, timeout);
        running.interrupt();
      }
    } catch (InterruptedException e) {
      running.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
