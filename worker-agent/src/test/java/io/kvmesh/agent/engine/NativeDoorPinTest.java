package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePinRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.EngineUnpinRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pins at the engine's door, and stores that wait for room. */
@Timeout(60)
class NativeDoorPinTest {

  private static final int PAGES = 8;

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  private TestAgent agent;
  private NativeDoor door;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    agent = TestAgent.named("me").pages(PAGES, PAGE).start();
    Duration minute = Duration.ofMinutes(1);
    door =
        TestDoor.start(
            agent,
            TestDoor.settings(minute, minute, 4, 4, Duration.ofSeconds(20)),
            (keyspace, hashes, atMost) -> new LookupOutcome.Miss(),
            counters);
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  @AfterEach
  void stop() {
    client.close();
    door.close();
    agent.requireSettled();
    agent.close();
  }

  private long open() {
    return TestDoor.open(client);
  }

  private EnginePinRetMsg pin(long session, String owner, List<ChunkKey> keys) {
    return client.ask(EnginePinRetMsg.class, new EnginePinMsg(session, owner, texts(keys)));
  }

  private int unpin(long session, String owner, List<ChunkKey> keys) {
    return client
        .ask(EngineUnpinRetMsg.class, new EngineUnpinMsg(session, owner, texts(keys)))
        .unpinnedChunks();
  }

  private CacheStats.Pins pins() {
    return agent.cache.stats().pins();
  }

  @Test
  void pins_areTakenOffByTheirOwner() {
    List<ChunkKey> keys = TestAgent.keys(1, 2);
    agent.store(keys);
    long session = open();

    assertThat(pin(session, "a", TestAgent.keys(1, 3)))
        .isEqualTo(new EnginePinRetMsg(2, 2 * TestAgent.TOKENS, 0));
    assertThat(pin(session, "a", keys).pinnedChunks()).isEqualTo(2);
    assertThat(pins().now()).isEqualTo(2);
    assertThat(agent.cache.clear().chunks()).isZero();
    assertThat(unpin(session, "b", List.of())).isZero();
    assertThat(unpin(session, "a", keys.subList(0, 1))).isEqualTo(1);
    assertThat(unpin(session, "a", List.of())).isEqualTo(1);
    assertThat(agent.cache.clear().chunks()).isEqualTo(2);
    assertThat(counters.get(EngineCount.PIN)).isEqualTo(2);
    assertThat(counters.get(EngineCount.UNPIN)).isEqualTo(3);
  }

  @Test
  void theEndOfASession_takesItsPinsOff() throws IOException {
    agent.store(TestAgent.keys(1, 2));
    long first = open();
    long second = open();
    pin(first, "a", TestAgent.keys(1, 2));
    pin(first, "b", TestAgent.keys(1, 1));
    pin(second, "a", TestAgent.keys(1, 1));
    client.ask(CloseSessionRetMsg.class, new CloseSessionMsg(first));
    assertThat(pins()).isEqualTo(new CacheStats.Pins(1, 1, 0, 0));
    client.close();
    await().atMost(Duration.ofSeconds(10)).until(() -> pins().now() == 0);
    client = RawClient.dealer("127.0.0.1:" + door.port());
  }

  @Test
  void badOwner_isRefused() {
    EnginePinMsg pin = new EnginePinMsg(open(), "o".repeat(201), texts(TestAgent.keys(1, 1)));
    assertThat(client.ask(EngineErrorMsg.class, pin).code()).isEqualTo(EngineErrorCode.BAD_REQUEST);
  }

  @Test
  void store_waitsForRoom() throws Exception {
    List<ChunkKey> held = TestAgent.keys(1, PAGES);
    agent.store(held);
    long session = open();
    ChunkLease lease = agent.cache.leasePrefix(held);
    Thread release =
        Thread.ofVirtual()
            .start(
                () -> {
                  await().until(() -> agent.cache.stats().waits().now() == 1);
                  lease.close();
                });
    EngineStoreMsg store =
        new EngineStoreMsg(
            session, 0, texts(TestAgent.keys(10, 1)), List.of(TestAgent.TOKENS), false);
    EngineStoreRetMsg stored =
        client.askForAll(EngineStoreRetMsg.class, store, List.of(new byte[PAGE])).message();
    release.join();
    assertThat(stored.outcomes()).containsExactly(StoreOutcome.STORED);
    assertThat(agent.cache.stats().waits().waited()).isEqualTo(1);
  }
}
