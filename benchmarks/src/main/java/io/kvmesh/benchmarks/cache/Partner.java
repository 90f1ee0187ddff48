package io.kvmesh.benchmarks.cache;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A second thread that works at the same time as the caller, from a common start. */
final class Partner implements AutoCloseable {

  /** The caller's work. */
  interface Work {
    void run() throws InterruptedException;
  }

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("partner").factory());

  /** Nanoseconds from the start until both are done. */
  long together(Work here, Runnable there) throws InterruptedException {
    AtomicInteger missing = new AtomicInteger(2);
    Future<Long> end =
        thread.submit(
            () -> {
              meet(missing);
              there.run();
              return System.nanoTime();
            });
    meet(missing);
    long begin = System.nanoTime();
    here.run();
    long ownEnd = System.nanoTime();
    return Math.max(ownEnd, get(end)) - begin;
  }

  private static void meet(AtomicInteger missing) {
    missing.decrementAndGet();
    while (missing.get() > 0) {
      Thread.onSpinWait();
    }
  }

  private static long get(Future<Long> end) throws InterruptedException {
    try {
      return end.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("The partner failed", e);
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
