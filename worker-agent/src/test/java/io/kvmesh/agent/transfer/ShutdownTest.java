package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Either side closes while much is under way: soon, with every page accounted for. */
@Timeout(120)
class ShutdownTest {

  private static final int ROUNDS = 4;
  private static final int PULLERS = 16;

  @Test
  void owner_thatClosesUnderLoad_endsSoonAndItsPeersGoOn() throws Exception {
    try (TestAgent asker = TestAgent.named("asker").pages(256, 64 << 10).start()) {
      for (int round = 0; round < ROUNDS; round++) {
        TestAgent owner = TestAgent.named("owner").pages(256, 64 << 10).start();
        owner.store(TestAgent.keys(0, 200));
        Load load = new Load(asker, owner.address());

        Duration took = load.closeInTheMiddle(owner);

        assertThat(took).as("round %d", round).isLessThan(Duration.ofSeconds(10));
        assertThat(load.faults).as("round %d", round).isEmpty();
        asker.cache.clear();
        asker.requireSettled();
      }
    }
  }

  @Test
  void asker_thatClosesUnderLoad_endsSoonAndItsOwnerGetsAllBack() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").pages(256, 64 << 10).start()) {
      owner.store(TestAgent.keys(0, 200));
      for (int round = 0; round < ROUNDS; round++) {
        TestAgent asker = TestAgent.named("asker").pages(256, 64 << 10).start();
        Load load = new Load(asker, owner.address());

        Duration took = load.closeInTheMiddle(asker);

        assertThat(took).as("round %d", round).isLessThan(Duration.ofSeconds(10));
        assertThat(load.faults).as("round %d", round).isEmpty();
        owner.requireSettled();
      }
    }
  }

  /** Pulls without end, until told. */
  private static final class Load {

    private final List<Throwable> faults = new ArrayList<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final CountDownLatch running = new CountDownLatch(2 * PULLERS);
    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();

    Load(TestAgent asker, String owner) {
      for (int i = 0; i < PULLERS; i++) {
        long from = i * 8L;
        threads.add(Thread.ofVirtual().start(() -> run(asker, owner, from)));
      }
    }

    private void run(TestAgent asker, String owner, long from) {
      try {
        while (!stopped.get()) {
          List<ChunkKey> keys = TestAgent.keys(from, 16);
          asker.pull(owner, keys, Duration.ofSeconds(2));
          keys.forEach(key -> asker.cache.remove(key, RemovalCause.REMOVED));
          running.countDown();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        thrown.add(e);
      }
    }

    /** The load goes on for as long as the agent takes to close. */
    Duration closeInTheMiddle(TestAgent agent) throws InterruptedException {
      running.await();
      long start = System.nanoTime();
      agent.closeDoors();
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      stopped.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      agent.unmap();
      faults.addAll(thrown);
      return took;
    }
  }
}
