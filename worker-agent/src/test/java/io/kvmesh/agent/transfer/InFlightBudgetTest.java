package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes in flight, of one peer and in all. */
@Timeout(30)
class InFlightBudgetTest {

  private static final int KIB = 1024;

  private final InFlightBudget budget = new InFlightBudget(4 * KIB, 6 * KIB);

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20), System::nanoTime);
  }

  @Test
  void take_isBoundedForEachPeerAndInAll() throws Exception {
    assertThat(budget.tryTake("a", 4 * KIB)).isTrue();
    assertThat(budget.tryTake("a", KIB)).isFalse();
    assertThat(budget.tryTake("b", 3 * KIB)).as("more than is left in all").isFalse();
    assertThat(budget.tryTake("b", 2 * KIB)).isTrue();
    assertThat(budget.taken()).isEqualTo(6 * KIB);
    budget.giveBack("a", 4 * KIB);
    budget.giveBack("b", 2 * KIB);
    assertThat(budget.taken()).isZero();
    assertThat(budget.peers()).as("peers that are remembered").isZero();
  }

  @Test
  void tryTake_doesNotOvertakeThoseWhoWait() throws Exception {
    assertThat(budget.tryTake("a", 3 * KIB)).isTrue();
    CompletableFuture<Boolean> took = new CompletableFuture<>();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    took.complete(budget.take("a", 4 * KIB, soon()));
                  } catch (InterruptedException e) {
                    took.completeExceptionally(e);
                  }
                });
    await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
    assertThat(budget.tryTake("a", KIB)).as("past one who waits").isFalse();
    budget.giveBack("a", 3 * KIB);
    assertThat(took.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void peersThatComeAndGo_neverGetMoreThanTheirBound() throws Exception {
    InFlightBudget wide = new InFlightBudget(2 * KIB, 1000L * KIB);
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(Thread.ofPlatform().start(() -> takeAndGiveBack(wide, taken, most)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most.get()).isBetween(1, 2);
    assertThat(wide.taken()).isZero();
    assertThat(wide.peers()).isZero();
  }

  private static void takeAndGiveBack(
      InFlightBudget budget, AtomicInteger taken, AtomicInteger most) {
    try {
      for (int i = 0; i < 20_000; i++) {
        if (budget.tryTake("a", KIB)) {
          most.accumulateAndGet(taken.incrementAndGet(), Math::max);
          taken.decrementAndGet();
          budget.giveBack("a", KIB);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
