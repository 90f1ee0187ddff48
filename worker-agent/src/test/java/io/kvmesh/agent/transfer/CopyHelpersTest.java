package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CopyHelpersTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void everyPart_isDoneOnce(int threads) {
    try (CopyHelpers helpers = new CopyHelpers(threads)) {
      for (int parts = 0; parts < 40; parts++) {
        AtomicIntegerArray done = new AtomicIntegerArray(parts);
        helpers.run(parts, done::incrementAndGet);
        for (int i = 0; i < parts; i++) {
          assertThat(done.get(i)).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void idleHelper_takesPart() {
    try (CopyHelpers helpers = new CopyHelpers(1)) {
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      CountDownLatch both = new CountDownLatch(2);
      helpers.run(
          2,
          part -> {
            threads.add(Thread.currentThread());
            both.countDown();
            await(both);
          });
      assertThat(threads).hasSize(2).contains(Thread.currentThread());
    }
  }

  @Test
  void busyHelpers_areNotWaitedFor() throws Exception {
    try (CopyHelpers helpers = new CopyHelpers(1)) {
      CountDownLatch begun = new CountDownLatch(2);
      CountDownLatch end = new CountDownLatch(1);
      Thread other =
          Thread.ofPlatform()
              .start(
                  () ->
                      helpers.run(
                          2,
                          part -> {
                            begun.countDown();
                            await(end);
                          }));
      begun.await();
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      helpers.run(8, part -> threads.add(Thread.currentThread()));
      assertThat(threads).containsExactly(Thread.currentThread());
      end.countDown();
      other.join();
    }
  }

  @Test
  void failureOfPart_isTheCallersAfterAllHaveEnded() {
    try (CopyHelpers helpers = new CopyHelpers(1)) {
      AtomicIntegerArray done = new AtomicIntegerArray(8);
      assertThatThrownBy(
              () ->
                  helpers.run(
                      8,
                      part -> {
                        done.incrementAndGet(part);
                        if (part == 3) {
                          throw new IndexOutOfBoundsException("beyond the memory");
                        }
                      }))
          .hasRootCauseMessage("beyond the memory");
      for (int i = 0; i < 8; i++) {
        assertThat(done.get(i)).isEqualTo(1);
      }
    }
  }

  /** Memory must not be given back while somebody writes to it. */
  @Test
  void interruptedCaller_waitsForItsPartsAllTheSame() {
    try (CopyHelpers helpers = new CopyHelpers(1)) {
      CountDownLatch both = new CountDownLatch(2);
      CountDownLatch callers = new CountDownLatch(1);
      AtomicIntegerArray done = new AtomicIntegerArray(2);
      Thread caller = Thread.currentThread();
      helpers.run(
          2,
          part -> {
            both.countDown();
            await(both);
            if (Thread.currentThread() == caller) {
              callers.countDown();
            } else {
              await(callers);
              caller.interrupt();
            }
            done.incrementAndGet(part);
          });
      assertThat(Thread.interrupted()).isTrue();
      assertThat(done.get(0) + done.get(1)).isEqualTo(2);
    }
  }

  @Test
  void closed_copiesAlone() {
    CopyHelpers helpers = new CopyHelpers(2);
    helpers.close();
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    helpers.run(8, part -> threads.add(Thread.currentThread()));
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
