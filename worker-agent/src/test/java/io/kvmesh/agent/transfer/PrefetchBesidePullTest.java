package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.fleet.PrefetchCount;
import io.kvmesh.agent.fleet.PrefetchId;
import io.kvmesh.agent.fleet.PrefetchLimits;
import io.kvmesh.agent.fleet.PrefetchReport;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.PrefetchState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A prefetch that gets no answers, and what an engine asks for meanwhile. */
@Timeout(120)
class PrefetchBesidePullTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final List<ChunkKey> PREFIX = TestAgent.keys(1, 20);

  private static Prefetcher prefetcher(TestAgent agent, FakePeer holder, Duration batchDeadline) {
    PrefetchLimits limits =
        new PrefetchLimits(1, Duration.ofSeconds(30), 2 * FakePeer.PAGE, batchDeadline, 50);
    return Prefetchers.of(
        agent,
        Prefetchers.fleet(
            agent,
            (keyspace, hashes, atMost) ->
                new LookupOutcome.Found(
                    List.of(
                        new Holder("o", "LocalCPUBackend", hashes.size(), holder.address(), 1)))),
        limits,
        new Counters<>(PrefetchCount.class),
        System::nanoTime);
  }

  @Test
  void silentHolder_takesTwoChunksOfTheBudget_andEnginesPullsGoOn() throws Exception {
    try (FakePeer silent = FakePeer.that((peer, envelope, get) -> {});
        TestAgent other = TestAgent.named("other").start();
        TestAgent agent =
            TestAgent.named("me").getBytes(FakePeer.PAGE).maxInFlight(4 * FakePeer.PAGE).start();
        Prefetcher prefetcher = prefetcher(agent, silent, LONG)) {
      List<ChunkKey> asked = TestAgent.keys(100, 20);
      other.store(asked);
      CompletableFuture<PrefetchReport> over = new CompletableFuture<>();
      prefetcher.begin(new PrefetchId("test", "it"), PREFIX, 0, over::complete);
      await().until(() -> silent.gets.get() == 2);
      assertThat(agent.client.bytesInFlight()).isEqualTo(2 * FakePeer.PAGE);

      assertThat(agent.pull(other.address(), asked, SOON)).isEqualTo(new PullOutcome.Hit(20));

      prefetcher.cancel(new PrefetchId("test", "it"));
      PrefetchReport report = over.get(50, TimeUnit.SECONDS);
      assertThat(report.state()).as("%s", report).isEqualTo(PrefetchState.CANCELLED);
      agent.requireSettled();
    }
  }

  @Test
  void chunkThatIsOnItsWayFromASilentHolder_isFreeForAnEngineAfterTheBatchsTime() throws Exception {
    try (FakePeer silent = FakePeer.that((peer, envelope, get) -> {});
        TestAgent other = TestAgent.named("other").start();
        TestAgent agent = TestAgent.named("me").start();
        Prefetcher prefetcher = prefetcher(agent, silent, Duration.ofSeconds(2))) {
      other.store(PREFIX);
      // Shakes hands, so that the batch's time is its own.
      assertThat(agent.pull(silent.address(), FakePeer.NOT_HELD, LONG))
          .isEqualTo(new PullOutcome.Miss());
      CompletableFuture<PrefetchReport> over = new CompletableFuture<>();
      prefetcher.begin(new PrefetchId("test", "it"), PREFIX, 0, over::complete);
      await().until(() -> silent.gets.get() >= 1);

      assertThat(agent.pull(other.address(), PREFIX, SOON)).isEqualTo(new PullOutcome.Hit(20));

      assertThat(over.get(50, TimeUnit.SECONDS).state()).isNotEqualTo(PrefetchState.RUNNING);
      agent.requireSettled();
    }
  }
}
