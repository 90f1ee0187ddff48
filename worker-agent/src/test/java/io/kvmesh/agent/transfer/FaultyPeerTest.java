package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a peer does, the requester waits no longer than it said, and no page is lost. */
@Timeout(180)
class FaultyPeerTest extends FaultyPeerFixture {

  @Test
  void peer_thatAnswersRightly_isRead() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> all(it, to, get))) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      await().untilAsserted(() -> assertThat(peer.done).containsExactly(1L));
    }
  }

  @Test
  void peer_thatIsNotThere_isUnavailableWithinTheConnectTimeoutAndThenPassedOver()
      throws Exception {
    useHasty();
    String nobody;
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      nobody = peer.address();
    }
    assertThat(asker.pull(nobody, KEYS, LONG)).isInstanceOf(PullOutcome.Unavailable.class);
    await()
        .atMost(Duration.ofSeconds(40))
        .until(
            () ->
                asker
                    .pull(nobody, KEYS, LONG)
                    .equals(new PullOutcome.Unavailable(0, "is being passed over")));
  }

  @Test
  void peer_thatIsSilentAtItsInitPort_isUnavailableWithinTheConnectTimeout() throws Exception {
    useHasty();
    try (FakePeer peer = FakePeer.thatIsSilentAtItsInitPort()) {
      long start = System.nanoTime();
      assertThat(pull(peer, VERY_LONG)).isInstanceOf(PullOutcome.Unavailable.class);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CONNECT.plus(SLACK));
    }
  }

  @Test
  void peer_thatNeverAnswers_timesOut() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      assertThat(pull(peer, SHORT)).isEqualTo(new PullOutcome.TimedOut(0));
    }
  }

  @Test
  void peer_thatIsSilentUnderAShortDeadline_isNotPassedOver() throws Exception {
    AtomicBoolean answers = new AtomicBoolean();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (answers.get()) {
                all(it, to, get);
              }
            })) {
      warm(peer);
      askInVain(peer);
      answers.set(true);
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(asker.pulled.get(PullCount.PASSED_OVER)).isZero();
    }
  }

  @Test
  void peer_thatIsAlwaysSilentUnderShortDeadlines_isPassedOverInTheEnd() throws Exception {
    useHasty();
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      long start = System.nanoTime();
      PullOutcome outcome;
      do {
        outcome = pull(peer, SHORT);
      } while (outcome instanceof PullOutcome.TimedOut);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(CONNECT.minus(SHORT));
      assertThat(asker.pulled.get(PullCount.PASSED_OVER)).isPositive();
    }
  }

  @Test
  void connection_thatGoesAwayMidPull_isMadeAnewWithinTheDeadline() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (times.getAndIncrement() == 0) {
                it.dropConnections();
              } else {
                all(it, to, get);
              }
            })) {
      assertThat(pull(peer, LONG)).isEqualTo(new PullOutcome.Hit(4));
      assertThat(asker.pulled.get(PullCount.RETRY)).isPositive();
    }
  }

  @Test
  void peer_thatDiesMidPull_failsThePullAtOnce() throws Exception {
    useHasty();
    AtomicInteger times = new AtomicInteger();
    FakePeer peer = FakePeer.that((it, to, get) -> times.incrementAndGet());
    warm(peer);
    Thread killer =
        Thread.ofVirtual()
            .start(
                () -> {
                  await().until(() -> times.get() > 0);
                  peer.close();
                });
    long start = System.nanoTime();
    PullOutcome outcome = asker.pull(peer.address(), KEYS, VERY_LONG);
    killer.join();

    assertThat(outcome).isInstanceOf(PullOutcome.Unavailable.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CONNECT.plus(SLACK));
  }

  @Test
  void requester_thatIsInterrupted_givesItsPagesBack() throws Exception {
    try (FakePeer peer = FakePeer.that((it, to, get) -> {})) {
      warm(peer);
      Thread pulling =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      asker.pull(peer.address(), KEYS, LONG);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  });
      await().until(() -> peer.gets.get() > 0);
      pulling.interrupt();
      pulling.join();
      asker.requireSettled();
    }
  }

  @Test
  void peer_thatDropsOneReplyInTen_costsOneTimeoutEach() throws Exception {
    AtomicBoolean drops = new AtomicBoolean();
    try (FakePeer peer =
        FakePeer.that(
            (it, to, get) -> {
              if (!drops.get()) {
                all(it, to, get);
              }
            })) {
      warm(peer);
      for (int i = 0; i < 40; i++) {
        List<ChunkKey> keys = TestAgent.keys(100 + 4L * i, 4);
        if (i % 10 == 9) {
          drops.set(true);
          assertThat(asker.pull(peer.address(), keys, SHORT))
              .isEqualTo(new PullOutcome.TimedOut(0));
          drops.set(false);
        }
        assertThat(asker.pull(peer.address(), keys, LONG)).isEqualTo(new PullOutcome.Hit(4));
      }
      assertThat(asker.sockets.stats().openSockets()).isLessThanOrEqualTo(3);
    }
  }
}
