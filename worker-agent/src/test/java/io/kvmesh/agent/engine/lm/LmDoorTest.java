package io.kvmesh.agent.engine.lm;

import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.NOBODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** LMCache's remote server, as one client after the other sees it. */
@Timeout(60)
class LmDoorTest {

  private static final String KEY = "m@1@0@1f@bfloat16";

  private static DoorFixture open(int pages, ExistsScope exists, PeerDirectory directory)
      throws IOException {
    return new DoorFixture(pages, exists, directory, desk -> new LmProtocol(desk, MAX_BODY));
  }

  private static DoorFixture open() throws IOException {
    return open(8, ExistsScope.LOCAL, NOBODY);
  }

  private static byte[] body(int bytes, int value) {
    byte[] body = new byte[bytes];
    Arrays.fill(body, (byte) value);
    return body;
  }

  @Test
  void putThenGet_theBodyAndItsShapeComeBack() throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      assertThat(client.isHealthy()).isTrue();
      assertThat(client.exists(KEY)).isFalse();
      assertThat(client.get(KEY)).isNull();
      client.put(KEY, body(PAGE, 7));
      assertThat(client.exists(KEY)).isTrue();
      client.send(LmClient.header(LmCommand.GET, KEY));
      LmClient.Reply reply = client.reply();
      assertThat(reply).isEqualTo(new LmClient.Reply(200, PAGE, LmClient.form(PAGE)));
      assertThat(client.body(PAGE)).isEqualTo(body(PAGE, 7));
      assertThat(at.agent.cache.exists(ChunkKey.parse(KEY))).isTrue();
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void putOfAResidentKey_replacesItsBody() throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      client.put(KEY, body(PAGE, 1));
      client.put(KEY, body(PAGE, 2));
      assertThat(client.get(KEY)).isEqualTo(body(PAGE, 2));
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model with spaces@1@0@1f@half",
        "mödel-日本@1@0@-1f@half",
        "mo@del@1@0@1f@half",
        "m@1@0@1f@half@3",
        "vllm@m@1@0@1f@half",
        "@@@@",
        "",
        "no key at all",
        "foreign@0@1f",
        "m@1@0@000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f@half"
      })
  void anyKey_isAKey(String key) throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      client.put(key, body(PAGE, 5));
      assertThat(client.get(key)).isEqualTo(body(PAGE, 5));
      assertThat(client.get(key + "x")).isNull();
      assertThat(client.exists(key)).isTrue();
    }
  }

  @Test
  void aKeyOf150Bytes_isWhole() throws Exception {
    String start = "m".repeat(150 - "@1@0@1f@half".length());
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      client.put(start + "@1@0@1f@half", body(PAGE, 5));
      assertThat(client.get(start + "@1@0@1f@half")).isEqualTo(body(PAGE, 5));
      assertThat(client.exists(start + "@1@0@1e@half")).isFalse();
    }
  }

  @Test
  void ranks_areKeptApart() throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      for (int rank = 0; rank < 4; rank++) {
        client.put("m@4@%d@1f@half".formatted(rank), body(PAGE, rank));
      }
      for (int rank = 0; rank < 4; rank++) {
        assertThat(client.get("m@4@%d@1f@half".formatted(rank))).isEqualTo(body(PAGE, rank));
      }
    }
  }

  @Test
  void whatAPeerHas_isPulledBeforeTheAnswer() throws Exception {
    List<ChunkKey> keys = TestAgent.keys(1, 1);
    String key = keys.getFirst().toString();
    byte[] right = new byte[PAGE];
    TestAgent.fill(MemorySegment.ofArray(right), keys.getFirst());
    try (TestAgent peer = TestAgent.named("peer").start();
        DoorFixture at = open(8, ExistsScope.FLEET, DoorFixture.at(peer));
        LmClient client = new LmClient(at.connect())) {
      peer.store(keys);
      client.put("m@1@0@ffff@bfloat16", body(PAGE, 1));
      assertThat(client.exists(key)).isTrue();
      assertThat(at.counters.get(DoorCount.EXISTS_FLEET)).isEqualTo(1);
      assertThat(client.get(key)).as("shaped as the chunk before").isEqualTo(right);
      assertThat(client.get("m@1@0@eeee@bfloat16")).as("promised in vain").isNull();
      assertThat(at.counters.get(DoorCount.GET_PEER)).isEqualTo(1);
      assertThat(at.settled()).isEqualTo(2);
    }
  }

  @Test
  void localExists_asksNobody() throws Exception {
    PeerDirectory loud =
        (keyspace, hashes, atMost) -> {
          throw new IllegalStateException("asked");
        };
    try (DoorFixture at = open(8, ExistsScope.LOCAL, loud);
        LmClient client = new LmClient(at.connect())) {
      assertThat(client.exists(KEY)).isFalse();
    }
  }

  @Test
  void aChunkWhoseShapeNobodyKnows_isNotSent_andCounted() throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      at.agent.store(TestAgent.keys(1, 1));
      assertThat(client.get(TestAgent.keys(1, 1).getFirst().toString())).isNull();
      assertThat(at.counters.get(DoorCount.GET_FORMLESS)).isEqualTo(1);
    }
  }

  @Test
  void whatIsRefused_isReadToItsEnd_andTheConnectionLives() throws Exception {
    try (DoorFixture at = open(1, ExistsScope.LOCAL, NOBODY);
        LmClient client = new LmClient(at.connect())) {
      client.put(KEY, body(PAGE, 1));
      client.put(KEY, body(2 * PAGE, 1));
      client.send(LmClient.header(LmCommand.PUT, KEY, 100, LmClient.form(PAGE)));
      client.send(body(100, 1));
      client.send(LmClient.header(LmCommand.PUT, KEY, 0, LmClient.form(PAGE)));
      assertThat(client.isHealthy()).isTrue();
      assertThat(client.get(KEY)).as("replaced by what couldn't be kept").isNull();
      assertThat(at.counters.get(DoorCount.PUT_TOO_LARGE)).isEqualTo(1);
      assertThat(at.counters.get(DoorCount.PUT_WRONG_SIZE)).isEqualTo(2);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void list_isNotAnswered_andTheConnectionLives() throws Exception {
    try (DoorFixture at = open();
        LmClient client = new LmClient(at.connect())) {
      client.send(LmClient.header(LmCommand.LIST, KEY));
      assertThat(client.isHealthy()).isTrue();
    }
  }
}
