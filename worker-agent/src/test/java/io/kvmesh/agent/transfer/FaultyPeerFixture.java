package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetMsg;
import io.kvmesh.common.zmq.Envelope;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An agent that pulls from a peer which does as it is told. */
abstract class FaultyPeerFixture {

  static final Duration LONG = Duration.ofSeconds(20);
  static final Duration VERY_LONG = Duration.ofSeconds(40);
  static final Duration CONNECT = Duration.ofSeconds(2);
  static final Duration SHORT = Duration.ofMillis(400);

  /** What a slow machine may take beyond a deadline. */
  static final Duration SLACK = Duration.ofSeconds(15);

  static final List<ChunkKey> KEYS = TestAgent.keys(1, 4);

  TestAgent asker;

  @BeforeEach
  void start() throws IOException {
    asker = TestAgent.named("asker").connectTimeout(LONG).start();
  }

  /** One that gives up on a peer sooner, and passes it over for longer. */
  void useHasty() throws IOException {
    stop();
    asker =
        TestAgent.named("asker").connectTimeout(CONNECT).passOver(Duration.ofSeconds(10)).start();
  }

  @AfterEach
  void stop() {
    asker.requireSettled();
    asker.close();
  }

  PullOutcome pull(FakePeer peer, Duration atMost) throws InterruptedException {
    long start = System.nanoTime();
    PullOutcome outcome = asker.pull(peer.address(), KEYS, atMost);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("time taken")
        .isLessThan(atMost.plus(SLACK));
    asker.requireSettled();
    assertThat(asker.resident(KEYS)).isEqualTo(outcome.chunks());
    return outcome;
  }

  /** The peer gets a question, and doesn't answer in the short time that it has. */
  void askInVain(FakePeer peer) throws InterruptedException {
    do {
      assertThat(pull(peer, SHORT)).isEqualTo(new PullOutcome.TimedOut(0));
    } while (peer.gets.get() == 0);
  }

  static void all(FakePeer peer, Envelope to, BatchedLookupAndGetMsg get) {
    int chunks = get.keys().size();
    peer.reply(to, FakePeer.right(get, chunks), FakePeer.bodies(get, chunks));
  }

  /** Shakes hands, however long that takes, so that the next pull's time is its own. */
  void warm(FakePeer peer) {
    await()
        .atMost(VERY_LONG)
        .until(
            () ->
                asker.pull(peer.address(), FakePeer.NOT_HELD, LONG).equals(new PullOutcome.Miss()));
  }
}
