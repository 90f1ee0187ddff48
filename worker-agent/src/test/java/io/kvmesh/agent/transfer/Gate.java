package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Stops a thread of an agent in the middle of what a test wants to see or change there. Without a
 * condition it is open. Any thread.
 */
public final class Gate {

  private static final long LONG_SECONDS = 60;

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private volatile BooleanSupplier closed = () -> false;

  /** Whoever comes when this is so waits until the gate is opened; to be told once. */
  public void closeWhen(BooleanSupplier condition) {
    closed = condition;
  }

  void pass() {
    if (opened.getCount() == 0 || !closed.getAsBoolean()) {
      return;
    }
    reached.countDown();
    try {
      if (!opened.await(LONG_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("nobody opens the gate");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until somebody stands before it. */
  public void awaitSomebody() throws InterruptedException {
    assertThat(reached.await(LONG_SECONDS, TimeUnit.SECONDS)).as("somebody came").isTrue();
  }

  /** Lets all pass, for good. */
  public void open() {
    opened.countDown();
  }
}
