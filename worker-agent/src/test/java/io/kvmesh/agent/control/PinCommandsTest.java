package io.kvmesh.agent.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks that are pinned on command. */
@Timeout(60)
class PinCommandsTest extends ControlFixture {

  @Test
  void pin_holdsTheChunksOfItsKeysUntilItIsTakenOff() {
    agent.store(TestAgent.keys(1, 5));
    List<String> keys = texts(TestAgent.keys(1, 4));

    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", keys, null)))
        .isEqualTo(new PinWorkerRetMsg(4L * TestAgent.TOKENS, 4L, 0L));
    assertThat(client.ask(PinWorkerRetMsg.class, pin("b", keys.subList(0, 1), null)).numChunks())
        .isEqualTo(1);
    agent.cache.clear();
    assertThat(agent.resident(TestAgent.keys(1, 5))).isEqualTo(4);

    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", keys.subList(3, 4), true)).numChunks())
        .isEqualTo(1);
    assertThat(client.ask(PinWorkerRetMsg.class, pin("a", null, true)).numChunks()).isEqualTo(3);
    agent.cache.clear();
    assertThat(agent.resident(TestAgent.keys(1, 5))).as("what b pinned").isEqualTo(1);
  }

  @Test
  void pin_ofMoreThanMayBePinned_saysHowManyWereRefused() {
    agent.store(TestAgent.keys(1, 40));
    PinWorkerRetMsg reply =
        client.ask(PinWorkerRetMsg.class, pin("a", texts(TestAgent.keys(1, 40)), null));
    assertThat(reply).isEqualTo(new PinWorkerRetMsg(32L * TestAgent.TOKENS, 32L, 8L));
  }

  @Test
  void pin_ofTokens_isRefusedWithTheReason() {
    ErrorMsg error = client.ask(ErrorMsg.class, new PinWorkerMsg("e", LOCATION, List.of(1L, 2L)));
    assertThat(error.code()).isEqualTo("unsupported");
    assertThat(error.error()).contains("hash tokens").contains("world-size").contains("keys");
    assertThat(client.ask(ErrorMsg.class, pin("e", List.of("no key"), null)).error())
        .contains("no key");
  }

  @Test
  void pin_ofTokens_holdsTheChunksOfTheirFullHashes() throws IOException {
    List<ChunkKey> chunks = startHashing().of(PROMPT);
    agent.store(chunks);
    agent.store(TestAgent.keys(1, 1));

    assertThat(client.ask(PinWorkerRetMsg.class, new PinWorkerMsg("e", LOCATION, PROMPT)))
        .isEqualTo(new PinWorkerRetMsg(2L * TestAgent.TOKENS, 2L, 0L));
    agent.cache.clear();
    assertThat(agent.resident(chunks)).isEqualTo(2);
    assertThat(agent.cache.stats().residentChunks()).isEqualTo(2);

    assertThat(unpinned(PROMPT.subList(0, 3))).as("no full chunk").isZero();
    assertThat(unpinned(PROMPT.subList(0, 4))).isEqualTo(1);
    assertThat(unpinned(List.of())).as("all that is left").isEqualTo(1);
  }

  private @Nullable Long unpinned(List<Long> tokens) {
    PinWorkerMsg unpin = new PinWorkerMsg("e", LOCATION, tokens, null, true);
    return client.ask(PinWorkerRetMsg.class, unpin).numChunks();
  }

  @Test
  void pin_ofWhatIsNoToken_namesItAndTheRule() throws IOException {
    startHashing();
    ErrorMsg error = client.ask(ErrorMsg.class, new PinWorkerMsg("e", LOCATION, List.of(1L, -5L)));
    assertThat(error.code()).isEqualTo("bad_request");
    assertThat(error.error())
        .isEqualTo("Token 1 is -5: a token is a whole number from 0 to 2^63-1");
  }

  private static PinWorkerMsg pin(
      String event, @Nullable List<String> keys, @Nullable Boolean unpin) {
    return new PinWorkerMsg(event, LOCATION, List.of(), keys, unpin);
  }
}
