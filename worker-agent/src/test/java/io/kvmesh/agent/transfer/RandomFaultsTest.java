package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.Frame;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pulls from up to three peers, two of which do everything wrong that there is. */
@Timeout(240)
class RandomFaultsTest {

  private static final int PULLS = 1000;
  private static final int MOST_PULLS = 4 * PULLS;
  private static final int CHUNKS = 12;
  private static final Duration DEADLINE = Duration.ofMillis(100);

  @Test
  void pullsWithRandomFaults_leaveEveryPageLoanAndLeaseAccountedFor() throws Exception {
    long seed = System.nanoTime();
    try (TestAgent asker =
            TestAgent.named("asker")
                .connectTimeout(Duration.ofSeconds(2))
                .getBytes(4 * FakePeer.PAGE)
                .passOver(Duration.ofMillis(1))
                .pages(40, FakePeer.PAGE)
                .start();
        FakePeer one = faulty(seed + 1);
        FakePeer two = faulty(seed + 2);
        TestAgent good = TestAgent.named("good").pages(60, FakePeer.PAGE).start()) {
      int hits = 0;
      int inTime = 0;
      Random random = new Random(seed);
      // A busy machine makes many late: others are made for them, within a bound.
      for (int i = 0; inTime < PULLS && i < MOST_PULLS; i++) {
        List<ChunkKey> keys = TestAgent.keys(1000 + 5L * i, CHUNKS);
        good.store(keys.subList(0, 9));
        List<PullSource> sources =
            Stream.of(one.address(), two.address(), good.address())
                .skip(random.nextInt(3))
                .map(it -> new PullSource(it, 1 + random.nextInt(CHUNKS)))
                .toList();
        PullOutcome outcome = asker.pull(sources, keys, DEADLINE);
        hits += outcome instanceof PullOutcome.Hit ? 1 : 0;
        inTime += outcome instanceof PullOutcome.TimedOut ? 0 : 1;
        assertThat(asker.resident(keys))
            .as("seed %d, round %d, %s", seed, i, outcome)
            .isGreaterThanOrEqualTo(outcome.chunks());
      }
      assertThat(hits).as("seed %d", seed).isGreaterThan(PULLS / 4);
      asker.requireSettled();
      good.requireSettled();
    }
  }

  private static FakePeer faulty(long seed) throws Exception {
    Random random = new Random(seed);
    return FakePeer.that((it, to, get) -> misbehave(random, it, to, get));
  }

  private static void misbehave(
      Random random, FakePeer peer, Envelope to, BatchedLookupAndGetMsg get) {
    int chunks = random.nextInt(get.keys().size() + 1);
    List<Frame> bodies = FakePeer.bodies(get, chunks);
    switch (random.nextInt(16)) {
      case 0 -> {}
      case 1 -> peer.replyWith(to, new byte[] {1, 2, 3});
      case 2 -> peer.reply(to, new P2PErrorMsg(1 + random.nextInt(4)), List.of());
      case 3 -> peer.reply(to, FakePeer.right(get, chunks), bodies.subList(0, chunks / 2));
      case 4 -> {
        bodies.replaceAll(body -> Frame.of(new byte[body.size()]));
        peer.reply(to, FakePeer.right(get, chunks), bodies);
      }
      case 5 -> peer.dropConnections();
      case 6 -> {
        peer.give(to, get, chunks);
        peer.give(to, get, chunks);
      }
      case 7 -> peer.replyToOther(to, FakePeer.right(get, chunks), bodies);
      case 8 ->
          peer.reply(
              to,
              FakePeer.sized(get, 1000),
              List.of(Frame.of(FakePeer.body(get.keys().getFirst(), 1000))));
      default -> peer.give(to, get, get.keys().size());
    }
  }
}
