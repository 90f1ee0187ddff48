package io.kvmesh.agent.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A lookup and the retrieve after it ask a controller once, unless what it said is no longer so.
 */
@Timeout(60)
class RememberedHoldersTest {

  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 12);

  private final AtomicReference<LookupOutcome> fleet =
      new AtomicReference<>(new LookupOutcome.Miss());
  private final AtomicInteger asked = new AtomicInteger();
  private TestAgent agent;
  private TestAgent one;
  private TestAgent two;
  private NativeDoor door;
  private RawClient client;
  private long session;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").connectTimeout(Duration.ofSeconds(5)).start();
    one = TestAgent.named("one").start();
    two = TestAgent.named("two").start();
    door =
        TestDoor.start(
            agent,
            TestDoor.settings(Duration.ofMinutes(1), Duration.ofMinutes(1), 4, 8, Duration.ZERO),
            (keyspace, hashes, atMost) -> {
              asked.incrementAndGet();
              return requireNonNull(fleet.get());
            },
            new Counters<>(EngineCount.class));
    client = RawClient.dealer("127.0.0.1:" + door.port());
    session = TestDoor.open(client);
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
    one.close();
    two.close();
  }

  private static Holder holder(TestAgent owner, int chunks) {
    return new Holder(owner.self.id().instanceId(), "LocalCPUBackend", chunks, owner.address(), 1);
  }

  private void controllersSay(Holder... holders) {
    fleet.set(new LookupOutcome.Found(List.of(holders)));
  }

  private int lookup() {
    return client
        .ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, TestDoor.texts(KEYS), false))
        .numFleet();
  }

  private EngineRetrieveRetMsg retrieve() {
    return client
        .askForAll(
            EngineRetrieveRetMsg.class,
            new EngineRetrieveMsg(session, 0, TestDoor.texts(KEYS), 30_000),
            List.of())
        .message();
  }

  private void assertRetrieved(int chunks, String outcome) {
    EngineRetrieveRetMsg found = retrieve();
    assertThat(found.peerOutcome()).isEqualTo(outcome);
    assertThat(found.numPeer()).isEqualTo(chunks);
    assertThat(agent.resident(KEYS)).isEqualTo(chunks);
  }

  @Test
  void lookupAndRetrieve_askOnce() {
    one.store(KEYS.subList(0, 7));
    controllersSay(holder(one, 7));

    assertThat(lookup()).isEqualTo(7);
    assertRetrieved(7, "hit");

    assertThat(asked).hasValue(1);
  }

  @Test
  void whatWasPulled_isAskedAnewOnceItIsGone() {
    one.store(KEYS);
    controllersSay(holder(one, 12));
    assertThat(lookup()).isEqualTo(12);
    client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, retrieve().leaseId()));
    agent.cache.clear();

    assertRetrieved(12, "hit");

    assertThat(asked).hasValue(2);
  }

  @Test
  void holderThatLostChunksMeanwhile_isMadeGoodByTheOneThatTheControllerNamesNow() {
    one.store(KEYS);
    controllersSay(holder(one, 12));
    assertThat(lookup()).isEqualTo(12);
    one.cache.clear();
    one.store(KEYS.subList(0, 3));
    two.store(KEYS.subList(0, 10));
    controllersSay(holder(two, 10), holder(one, 3));

    assertRetrieved(10, "hit");

    assertThat(asked).hasValue(2);
    assertThat(two.cache.stats().residentChunks()).isEqualTo(10);
  }

  @Test
  void holderThatHasLessNow_givesThatAndNoMore() {
    one.store(KEYS);
    controllersSay(holder(one, 12));
    assertThat(lookup()).isEqualTo(12);
    one.cache.clear();
    one.store(KEYS.subList(0, 3));
    controllersSay(holder(one, 3));

    assertRetrieved(3, "hit");
  }

  @Test
  void holderThatMoved_isFollowed() throws IOException {
    one.store(KEYS);
    controllersSay(holder(one, 12));
    assertThat(lookup()).isEqualTo(12);
    one.close();
    one = TestAgent.named("one").start();
    one.epoch.set(200);
    one.store(KEYS);
    controllersSay(holder(one, 12));

    assertRetrieved(12, "hit");

    assertThat(asked).hasValue(2);
  }

  @Test
  void holderThatIsGone_withNobodyElse_isAMissOfTheController() throws IOException {
    one.store(KEYS);
    controllersSay(holder(one, 12));
    assertThat(lookup()).isEqualTo(12);
    one.close();
    fleet.set(new LookupOutcome.Miss());

    try (Socket unanswered = held(one.address())) {
      assertThat(unanswered.isBound()).isTrue();
      EngineRetrieveRetMsg found = retrieve();

      assertThat(found.numPeer()).isZero();
      assertThat(found.peerOutcome()).isEqualTo("unavailable");
    }
    assertThat(asked).hasValue(2);
    one = TestAgent.named("one").start();
  }

  /** Keeps an address from the agents of other tests: nobody listens there. */
  private static Socket held(String address) throws IOException {
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    Socket socket = new Socket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress("127.0.0.1", port));
    return socket;
  }

  @Test
  void holderThatRefuses_isMadeGoodAsFarAsTheOtherReaches() {
    one.store(KEYS);
    two.store(KEYS.subList(0, 5));
    controllersSay(holder(one, 12), holder(two, 5));
    one.epoch.set(-1);

    assertThat(lookup()).isEqualTo(12);
    assertRetrieved(5, "unavailable");
  }
}
