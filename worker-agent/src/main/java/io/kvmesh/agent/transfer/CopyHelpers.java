package io.kvmesh.agent.transfer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take a part in copies which are too much for one processor core. They are asked, and
 * never waited for: where all are at work, who asks copies alone. Any thread.
 */
final class CopyHelpers implements AutoCloseable {

  private static final long IDLE_SECONDS = 60;

  /** Null where there are none. */
  private final @Nullable ThreadPoolExecutor threads;

  /**
   * @param most threads at a time; they are started when they are needed
   */
  CopyHelpers(int most) {
    ThreadFactory daemons = Thread.ofPlatform().daemon().name("copy-helper-", 0).factory();
    threads =
        most == 0
            ? null
            : new ThreadPoolExecutor(
                0, most, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons);
  }

  /** One copy in parts; who is free takes the next part. */
  private static final class Copy implements Runnable {
    private final int parts;
    private final IntConsumer part;
    private final AtomicInteger next = new AtomicInteger();
    private final CountDownLatch left;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Copy(int parts, IntConsumer part) {
      this.parts = parts;
      this.part = part;
      this.left = new CountDownLatch(parts);
    }

    @Override
    public void run() {
      for (int i = next.getAndIncrement(); i < parts; i = next.getAndIncrement()) {
        try {
          part.accept(i);
        } catch (RuntimeException | Error e) {
          failure.compareAndSet(null, e);
        } finally {
          left.countDown();
        }
      }
    }

    /** Not to be interrupted: as long as a part is under way somebody writes to its memory. */
    private void awaitAll() {
      boolean interrupted = false;
      while (left.getCount() > 0) {
        try {
          left.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Does all parts, on the calling thread and on one that is idle. They have ended when this ends.
   *
   * @param part does the part of that number; from more than one thread
   * @throws IllegalStateException if a part threw something
   */
  void run(int parts, IntConsumer part) {
    Copy copy = new Copy(parts, part);
    for (int i = 1; i < parts && mayHelp(copy); i++) {}
    copy.run();
    copy.awaitAll();
    Throwable failure = copy.failure.get();
    if (failure != null) {
      throw new IllegalStateException("A part of a copy failed", failure);
    }
  }

  private boolean mayHelp(Copy copy) {
    if (threads == null) {
      return false;
    }
    try {
      threads.execute(copy);
      return true;
    } catch (RejectedExecutionException allAreAtWork) {
      return false;
    }
  }

  /** What is under way is ended by those who wait for it. */
  @Override
  public void close() {
    if (threads != null) {
      threads.shutdown();
    }
  }
}
