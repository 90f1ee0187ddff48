package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The network to a peer stops passing anything on, without a word to either end. */
@Timeout(120)
class CutNetworkTest {

  private static final SocketSettings QUICK_TO_NOTICE =
      SocketSettings.DEFAULT.withHeartbeat(Duration.ofMillis(400), Duration.ofMillis(300));

  private static final Duration DEADLINE = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final int CHUNKS = 40;
  private static final int PAGE = 16 << 10;
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, CHUNKS);

  private TestAgent owner;
  private TestAgent asker;
  private CutNetwork network;

  @BeforeEach
  void start() throws Exception {
    owner = agent("owner").host(CutNetwork.HOST).start();
    asker = agent("asker").start();
    network = new CutNetwork(owner.server.initAddress(), owner.server.lookupAddress());
  }

  private static TestAgentBuilder agent(String name) {
    return TestAgent.named(name)
        .pages(64, PAGE)
        .getBytes(4 * PAGE)
        .sockets(QUICK_TO_NOTICE)
        .connectTimeout(Duration.ofMillis(500))
        .channels(Channels.ZMQ);
  }

  @AfterEach
  void stop() throws Exception {
    asker.requireSettled();
    owner.requireSettled();
    network.close();
    asker.close();
    owner.close();
  }

  private PullOutcome pull(List<ChunkKey> keys, Duration atMost) throws InterruptedException {
    long begin = System.nanoTime();
    PullOutcome outcome = asker.pull(owner.address(), keys, atMost);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(atMost.plusSeconds(15));
    assertThat(asker.resident(keys)).isEqualTo(outcome.chunks());
    return outcome;
  }

  private void awaitWhole(List<ChunkKey> keys) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(pull(keys, LONG)).isEqualTo(new PullOutcome.Hit(keys.size())));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3, 200, 5 * PAGE, 20 * PAGE})
  void pull_cutAfterSoManyBytes_endsAtItsDeadlineAndIsWholeWhenMended(long bytes) throws Exception {
    owner.store(KEYS);
    awaitWhole(KEYS.subList(0, 1));

    network.cutAfter(bytes);
    assertThat(pull(KEYS, DEADLINE).chunks()).isLessThan(CHUNKS);
    asker.requireSettled();
    owner.requireSettled();

    network.mend();
    awaitWhole(KEYS);
  }

  @Test
  void handshake_cutOff_endsWithinTheConnectTimeout() throws Exception {
    owner.store(KEYS);
    network.cutAfter(0);

    assertThat(pull(KEYS, LONG)).isInstanceOf(PullOutcome.Unavailable.class);

    network.mend();
    awaitWhole(KEYS);
  }

  /** The target can't pull what it was offered; the source keeps it, and moves it later. */
  @Test
  void move_cutOff_leavesEveryChunkAtTheSource() throws Exception {
    owner.store(KEYS);
    network.cutAfter(10 * PAGE);

    MoveReport cut = move();

    for (ChunkKey key : KEYS) {
      assertThat(owner.cache.exists(key) || asker.cache.exists(key)).as("%s", key).isTrue();
    }
    assertThat(cut.outcomes().getOrDefault(MoveOutcome.MOVED, 0)).isLessThan(CHUNKS);
    network.mend();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              move();
              assertThat(owner.cache.stats().residentChunks()).isZero();
            });
    assertThat(asker.resident(KEYS)).isEqualTo(CHUNKS);
  }

  private MoveReport move() throws Exception {
    CompletableFuture<MoveReport> over = new CompletableFuture<>();
    assertThat(owner.mover.begin(new MoveOrder("id", asker.address(), null, false), over::complete))
        .isTrue();
    return over.get(60, TimeUnit.SECONDS);
  }
}
