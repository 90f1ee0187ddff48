package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static io.kvmesh.agent.engine.TestDoor.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the engine's door answers, and what it holds. */
@Timeout(60)
class NativeDoorTest extends NativeDoorFixture {

  @Test
  void session_tellsEpochAndGeometry() {
    OpenSessionRetMsg opened = client.ask(OpenSessionRetMsg.class, new OpenSessionMsg(1, "test"));
    assertThat(opened.sessionId()).isPositive();
    assertThat(opened.epoch()).isEqualTo(100);
    assertThat(opened.pageBytes()).isEqualTo(PAGE);
    assertThat(opened.chunkTokens()).isEqualTo(TestAgent.TOKENS);
  }

  @Test
  void session_ofALaterFormat_isRefusedWithBothNumbers() {
    EngineErrorMsg refused = client.ask(EngineErrorMsg.class, new OpenSessionMsg(2, "test"));

    assertThat(refused.code()).isEqualTo(EngineErrorCode.BAD_REQUEST);
    assertThat(refused.error())
        .startsWith("Expected format 1 or earlier, got 2")
        .contains("upgrade this reader");
  }

  @Test
  void storedChunks_areRetrievedAsTheyWere() {
    long session = open();
    List<ChunkKey> keys = TestAgent.keys(1, 5);
    EngineStoreRetMsg stored = store(session, 0, keys, false);
    assertThat(stored.outcomes()).containsOnly(StoreOutcome.STORED);
    assertThat(stored.leaseId()).isZero();
    assertThat(stored.sequence()).isEqualTo(5);

    RawClient.Answer<EngineRetrieveRetMsg> found =
        client.askForAll(
            EngineRetrieveRetMsg.class,
            new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 6)), 1000),
            List.of());

    assertThat(found.message().numLocal()).isEqualTo(5);
    assertThat(found.message().numPeer()).isZero();
    assertThat(found.message().peerOutcome()).isEqualTo("miss");
    assertThat(found.message().lengths()).containsOnly(PAGE);
    assertThat(found.bodies())
        .usingElementComparator(Arrays::compare)
        .containsExactlyElementsOf(bodies(keys));
    assertThat(
            client
                .ask(
                    EngineReleaseRetMsg.class,
                    new EngineReleaseMsg(session, found.message().leaseId()))
                .releasedChunks())
        .isEqualTo(5);
  }

  @Test
  void retrieve_pullsWhatIsNotHereFromThePeerAndKeepsTheOrder() throws Exception {
    try (TestAgent owner = TestAgent.named("owner").start()) {
      List<ChunkKey> keys = TestAgent.keys(1, 6);
      owner.store(keys);
      agent.store(keys.subList(0, 2));
      agent.store(keys.subList(4, 5));
      fleet.set(
          new LookupOutcome.Found(
              List.of(new Holder("o", "LocalCPUBackend", 4, owner.address(), -1))));
      long session = open();

      RawClient.Answer<EngineRetrieveRetMsg> found =
          client.askForAll(
              EngineRetrieveRetMsg.class,
              new EngineRetrieveMsg(session, 0, texts(keys), 10_000),
              List.of());

      assertThat(found.message().numLocal()).isEqualTo(2);
      assertThat(found.message().numPeer()).isEqualTo(4);
      assertThat(found.message().peerOutcome()).isEqualTo("hit");
      assertThat(found.message().sequence()).isEqualTo(6);
      assertThat(found.bodies())
          .usingElementComparator(Arrays::compare)
          .containsExactlyElementsOf(bodies(keys));
    }
  }

  @Test
  void retrieve_namesWhyThereIsNothingMore() {
    long session = open();
    EngineRetrieveMsg retrieve =
        new EngineRetrieveMsg(session, 0, texts(TestAgent.keys(1, 1)), 500);
    fleet.set(new LookupOutcome.Unavailable("x"));
    assertThat(client.ask(EngineRetrieveRetMsg.class, retrieve).peerOutcome())
        .isEqualTo("directory_unavailable");
    fleet.set(
        new LookupOutcome.Found(List.of(new Holder("o", "LocalCPUBackend", 1, "127.0.0.1:1", -1))));
    assertThat(client.ask(EngineRetrieveRetMsg.class, retrieve).peerOutcome()).isNotEqualTo("hit");
  }

  @Test
  void lookup_tellsTheParts_andALeaseHoldsTheLocalOne() {
    agent.store(TestAgent.keys(1, 3));
    fleet.set(
        new LookupOutcome.Found(List.of(new Holder("o", "LocalCPUBackend", 2, "10.0.0.1:1", -1))));
    long session = open();
    List<String> six = texts(TestAgent.keys(1, 6));

    EngineLookupRetMsg found =
        client.ask(EngineLookupRetMsg.class, new EngineLookupMsg(session, six, true));

    assertThat(found.numLocal()).isEqualTo(3);
    assertThat(found.numFleet()).isEqualTo(2);
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
    EngineRetrieveRetMsg more =
        client
            .askForAll(
                EngineRetrieveRetMsg.class,
                new EngineRetrieveMsg(session, found.leaseId(), six.subList(0, 3), 1000),
                List.of())
            .message();
    assertThat(more.leaseId()).isEqualTo(found.leaseId());
    client.ask(EngineReleaseRetMsg.class, new EngineReleaseMsg(session, found.leaseId()));
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void lookup_withoutALease_holdsNothing() {
    agent.store(TestAgent.keys(1, 3));
    long session = open();
    EngineLookupMsg lookup = new EngineLookupMsg(session, texts(TestAgent.keys(1, 3)), false);
    assertThat(client.ask(EngineLookupRetMsg.class, lookup))
        .isEqualTo(new EngineLookupRetMsg(0, 3, 0));
    assertThat(agent.cache.stats().leasedChunks()).isZero();
  }

  @Test
  void store_tellsWhatBecameOfEachChunk() {
    long session = open();
    store(session, 0, TestAgent.keys(1, 1), false);
    List<ChunkKey> keys = TestAgent.keys(1, 3);
    EngineStoreMsg store = new EngineStoreMsg(session, 0, texts(keys), List.of(16, 16, 16), true);

    EngineStoreRetMsg stored =
        client
            .askForAll(
                EngineStoreRetMsg.class,
                store,
                List.of(body(keys.get(0)), new byte[PAGE + 1], body(keys.get(2))))
            .message();

    assertThat(stored.outcomes())
        .containsExactly(StoreOutcome.RESIDENT, StoreOutcome.TOO_LARGE, StoreOutcome.STORED);
    assertThat(stored.leaseId()).isPositive();
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(2);
  }

  @Test
  void heldChunks_areNotEvictedForOthers() {
    long session = open();
    List<ChunkKey> held = TestAgent.keys(1, 16);
    store(session, 0, held, true);
    for (int i = 0; i < 8; i++) {
      store(session, 0, TestAgent.keys(1000 + 32L * i, 32), false);
    }
    assertThat(agent.resident(held)).isEqualTo(16);
  }
}
