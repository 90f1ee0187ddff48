package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the engine's door refuses, and when it lets go of what it holds. */
@Timeout(60)
class NativeDoorBoundsTest extends NativeDoorFixture {

  private EngineErrorCode error(EngineRequest request) {
    return client.ask(EngineErrorMsg.class, request).code();
  }

  @Test
  void requestsThatMakeNoSense_areBadRequests() {
    long session = open();
    List<String> one = texts(TestAgent.keys(1, 1));
    assertThat(error(new EngineLookupMsg(session, List.of(), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, List.of("x"), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, List.of(one.getFirst(), "m@1@1@1@half"), false)))
        .as("two keyspaces")
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineLookupMsg(session, texts(TestAgent.keys(1, 41)), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineStoreMsg(session, 0, one, List.of(16), false)))
        .as("no body")
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(error(new EngineStoreMsg(session, 0, one, List.of(), false)))
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    client.tell(new EngineStoreMsg(session, 0, one, List.of(-1), false), List.of(new byte[] {1}));
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
  }

  @Test
  void unknownSessionsAndLeases_areRefused() throws Exception {
    long session = open();
    List<String> one = texts(TestAgent.keys(1, 1));
    assertThat(error(new EngineLookupMsg(session + 1, one, false)))
        .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    assertThat(error(new EngineReleaseMsg(session, 5))).isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    assertThat(error(new EngineRetrieveMsg(session, 5, one, 100)))
        .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    try (RawClient other = RawClient.dealer("127.0.0.1:" + door.port())) {
      assertThat(other.ask(EngineErrorMsg.class, new EngineLookupMsg(session, one, false)).code())
          .as("another connection's session")
          .isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    }
  }

  @Test
  void garbage_isAnErrorAndTheDoorStaysOpen() {
    for (byte[] garbage : List.of(new byte[] {(byte) 0xc1}, new byte[] {1})) {
      client.tellRaw(new byte[] {7}, new byte[0], garbage);
      assertThat(client.answer(EngineErrorMsg.class).message().code())
          .isEqualTo(EngineErrorCode.BAD_REQUEST);
    }
    client.tellRaw(new byte[] {7}, new byte[0]);
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    client.tell(
        new EngineStoreMsg(open(), 0, texts(TestAgent.keys(1, 1)), List.of(1), false),
        List.of(new byte[0]));
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .as("a body without bytes")
        .isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(open()).isPositive();
    assertThat(door.refusedFrames().count()).isEqualTo(4);
  }

  @Test
  void frame_thatIsTooLong_costsItsSenderTheConnectionAndItsSession() throws Exception {
    try (RawClient rude = RawClient.dealer("127.0.0.1:" + door.port())) {
      TestDoor.open(rude);
      await().until(() -> door.sessions() == 1);
      rude.tellRaw(new byte[0], new byte[8 * PAGE]);
      await().until(() -> door.sessions() == 0);
    }
    assertThat(open()).isPositive();
  }

  @Test
  void tooManySessionsOrLeases_areRefused() throws Exception {
    agent.store(TestAgent.keys(1, 1));
    long session = open();
    for (int i = 0; i < 3; i++) {
      open();
    }
    assertThat(error(new OpenSessionMsg(1, "one more"))).isEqualTo(EngineErrorCode.OVERLOADED);
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), true);
    for (int i = 0; i < 3; i++) {
      client.ask(EngineLookupRetMsg.class, lookup);
    }
    assertThat(error(lookup)).isEqualTo(EngineErrorCode.OVERLOADED);
    EngineLookupMsg without = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), false);
    assertThat(client.ask(EngineLookupRetMsg.class, without).numLocal()).isEqualTo(1);
  }

  @Test
  void tooManyLeasedBytes_areRefused() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 20), true);
    assertThat(error(new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), true)))
        .isEqualTo(EngineErrorCode.OVERLOADED);
  }

  @Test
  void tooManyRequestsAtWork_areRefusedAndOthersAreAnswered() throws Exception {
    stop();
    use(settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 1));
    long session = open();
    hang = true;
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 1)), false);
    client.tell(lookup, List.of());
    askedAndHung.await();

    assertThat(error(lookup)).isEqualTo(EngineErrorCode.OVERLOADED);
    assertThat(client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session)).releasedChunks())
        .isZero();
    assertThat(client.answer(EngineErrorMsg.class).message().code())
        .as("the request whose session ended")
        .isIn(EngineErrorCode.CLOSING, EngineErrorCode.UNKNOWN_SESSION);
  }

  @Test
  void closeSession_releasesAllOfIt() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 4), true);
    store(session, 0, TestAgent.keys(1, 2), true);
    assertThat(client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(session)).releasedChunks())
        .isEqualTo(6);
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void connectionThatGoesAway_endsItsSessionAndWhatIsAtWorkForIt() throws Exception {
    long session = open();
    store(session, 0, TestAgent.keys(1, 8), true);
    hang = true;
    client.tell(new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 9)), 30_000), List.of());
    askedAndHung.await();
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(8);

    client.close();

    await()
        .untilAsserted(
            () -> {
              assertThat(agent.cache.stats().leasedChunks()).isZero();
              assertThat(door.atWork()).isZero();
            });
  }

  @Test
  void sessionThatNobodyUses_isClosed() throws Exception {
    long session = open();
    store(session, 0, TestAgent.keys(1, 4), true);

    skippedNanos.addAndGet(Duration.ofMinutes(1).toNanos());
    await().untilAsserted(() -> assertThat(agent.cache.stats().leasedChunks()).isZero());
    assertThat(error(new CloseSessionMsg(session))).isEqualTo(EngineErrorCode.UNKNOWN_SESSION);
    assertThat(counters.get(EngineCount.SESSION_IDLE)).isEqualTo(1);
  }

  @Test
  void leaseThatNobodyReads_isReleasedAfterItsLifetime() throws Exception {
    stop();
    use(settings(Duration.ofMinutes(5), Duration.ofMinutes(1), 4, 8));
    agent.store(TestAgent.keys(1, 4));
    long session = open();
    List<String> keys = texts(TestAgent.keys(1, 4));
    List<Long> leases = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      leases.add(
          client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, keys, true)).leaseId());
    }
    client.askForAll(
        EngineRetrieveRetMsg.class,
        new EngineRetrieveMsg(session, leases.getFirst(), keys.subList(0, 1), 1000),
        List.of());

    skippedNanos.addAndGet(Duration.ofMinutes(1).toNanos());
    await().untilAsserted(() -> assertThat(counters.get(EngineCount.LEASE_EXPIRED)).isEqualTo(1));
    assertThat(error(new EngineReleaseMsg(session, leases.get(1))))
        .isEqualTo(EngineErrorCode.UNKNOWN_LEASE);
    assertThat(
            client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, leases.getFirst())))
        .as("what was read stays until it is released")
        .isEqualTo(new EngineReleaseRetMsg(5));
  }

  @Test
  void close_underLoad_endsSoonAndLeavesNothing() throws Exception {
    long session = open();
    List<ChunkKey> keys = TestAgent.keys(1, 16);
    store(session, 0, keys, false);
    for (int i = 0; i < 50; i++) {
      client.tell(new EngineLookupMsg(session, texts(keys), i % 2 == 0), List.of());
    }
    long start = System.nanoTime();

    door.close();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    assertThat(door.atWork()).isZero();
  }
}
