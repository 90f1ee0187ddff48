package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineCancelRetMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineTouchMsg;
import io.kvmesh.common.wire.engine.EngineTouchRetMsg;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Touching what a lease holds, and cancelling what is at work. */
@Timeout(60)
class NativeDoorTouchTest {

  private static final int PAGES = 4;

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  private final CountDownLatch askedAndHung = new CountDownLatch(1);
  private TestAgent agent;
  private NativeDoor door;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").pages(PAGES, PAGE).start();
    Duration minute = Duration.ofMinutes(1);
    door =
        TestDoor.start(
            agent, TestDoor.settings(minute, minute, 4, 8, Duration.ZERO), this::hang, counters);
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
  }

  private LookupOutcome hang(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
      throws InterruptedException {
    askedAndHung.countDown();
    new CountDownLatch(1).await();
    return new LookupOutcome.Miss();
  }

  private long lease(long session, int chunks) {
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, chunks)), true);
    return client.ask(EngineLookupRetMsg.class, lookup).leaseId();
  }

  private int touch(long session, long lease, int chunks) {
    return client
        .ask(EngineTouchRetMsg.class, new EngineTouchMsg(session, lease, chunks))
        .touchedChunks();
  }

  private void release(long session, long lease) {
    client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, lease));
  }

  @Test
  void touchedChunks_outliveTheOthers_theFirstOfThemLongest() {
    agent.store(TestAgent.keys(1, PAGES));
    long session = TestDoor.open(client);
    long lease = lease(session, PAGES);

    assertThat(touch(session, lease, 2)).isEqualTo(2);
    release(session, lease);

    agent.store(TestAgent.keys(50, 2));
    assertThat(agent.resident(TestAgent.keys(1, 1))).isEqualTo(1);
    assertThat(agent.resident(TestAgent.keys(2, 3))).isEqualTo(1);
    agent.store(TestAgent.keys(60, 1));
    assertThat(agent.resident(TestAgent.keys(1, 2))).isEqualTo(1);
  }

  @Test
  void touch_ofMoreThanIsHeld_usesWhatIsHeld_andOfNothingIsAnError() {
    agent.store(TestAgent.keys(1, 3));
    long session = TestDoor.open(client);
    long lease = lease(session, 3);

    assertThat(touch(session, lease, 100)).isEqualTo(3);
    assertThat(touch(session, lease, 0)).isZero();
    assertThat(error(new EngineTouchMsg(session, lease, -1)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineTouchMsg(session, 0, 1))).isEqualTo(EngineErrorCode.BAD_REQUEST);
    release(session, lease);
    assertThat(error(new EngineTouchMsg(session, lease, 1)))
        .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
  }

  private EngineErrorCode error(EngineTouchMsg touch) {
    return client.ask(EngineErrorMsg.class, touch).code();
  }

  @Test
  void cancelledRequest_isAnsweredSo_andLeavesNothing() throws Exception {
    agent.store(TestAgent.keys(1, 3));
    long session = TestDoor.open(client);
    // The second request of this client.
    client.tell(new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 4)), 30_000), List.of());
    askedAndHung.await();

    client.tell(new EngineCancelMsg(session, 2), List.of());

    List<EngineReply> replies =
        List.of(
            client.answer(EngineReply.class).message(), client.answer(EngineReply.class).message());
    assertThat(replies).contains(new EngineCancelRetMsg(true));
    assertThat(replies)
        .filteredOn(EngineErrorMsg.class::isInstance)
        .extracting(reply -> ((EngineErrorMsg) reply).code())
        .containsExactly(EngineErrorCode.CANCELLED);
    assertThat(agent.cache.stats().leasedChunks()).isZero();
    assertThat(client.ask(EngineCancelRetMsg.class, new EngineCancelMsg(session, 2)).cancelled())
        .as("it is over")
        .isFalse();
  }

  @Test
  void requestOfAnotherSession_isntCancelled() throws Exception {
    long session = TestDoor.open(client);
    client.tell(new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 4)), 30_000), List.of());
    askedAndHung.await();
    try (RawClient other = RawClient.dealer("127.0.0.1:" + door.port())) {
      long others = TestDoor.open(other);
      assertThat(other.ask(EngineCancelRetMsg.class, new EngineCancelMsg(others, 2)).cancelled())
          .isFalse();
      assertThat(other.ask(EngineErrorMsg.class, new EngineCancelMsg(session, 2)).code())
          .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
      assertThat(counters.get(EngineCount.CANCELLED)).isZero();
    }
  }
}
