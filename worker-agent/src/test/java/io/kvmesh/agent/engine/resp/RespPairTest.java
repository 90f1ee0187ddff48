package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.metadata;
import static io.kvmesh.agent.engine.resp.RespFixture.KEY;
import static io.kvmesh.agent.engine.resp.RespFixture.body;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pairs, as LMCache's redis:// connector stores them. */
@Timeout(60)
class RespPairTest {

  private static final String METADATA = KEY + "metadata";
  private static final String KV_BYTES = KEY + "kv_bytes";

  private static void requireNothing(RespClientEnd client) throws IOException {
    assertThat(client.ask("EXISTS", KEY, METADATA, KV_BYTES)).isEqualTo(":0");
    assertThat(client.get(METADATA)).isNull();
    assertThat(client.get(KV_BYTES)).isNull();
    assertThat(client.get(KEY)).isNull();
    assertThat(client.ask("DBSIZE")).isEqualTo(":0");
  }

  private static void requirePair(RespClientEnd client, int value) throws IOException {
    assertThat(client.ask("EXISTS", METADATA)).isEqualTo(":1");
    assertThat(client.get(METADATA)).isEqualTo(metadata(PAGE));
    assertThat(client.get(KV_BYTES)).isEqualTo(body(PAGE, value));
    assertThat(client.get(KEY)).isEqualTo(body(PAGE, value));
    assertThat(client.ask("STRLEN", METADATA)).isEqualTo(":28");
    assertThat(client.ask("DBSIZE")).isEqualTo(":1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPair_inEitherOrder_isOneChunk(boolean bytesFirst) throws Exception {
    try (DoorFixture at = RespFixture.open(1, "");
        RespClientEnd client = new RespClientEnd(at.connect());
        RespClientEnd other = new RespClientEnd(at.connect())) {
      if (bytesFirst) {
        assertThat(client.ask("SET", KV_BYTES, body(PAGE, 1))).isEqualTo("+OK");
        requireNothing(client);
        assertThat(other.ask("SET", METADATA, metadata(PAGE))).isEqualTo("+OK");
      } else {
        assertThat(client.ask("SET", METADATA, metadata(PAGE))).isEqualTo("+OK");
        requireNothing(client);
        assertThat(other.ask("SET", KV_BYTES, body(PAGE, 1))).isEqualTo("+OK");
      }
      requirePair(client, 1);
      assertThat(at.settled()).isEqualTo(1);
      assertThat(client.ask("DEL", METADATA, KV_BYTES)).isEqualTo(":2");
      requireNothing(client);
      assertThat(at.settled()).isZero();
    }
  }

  @Test
  void bytesOfAPairThatIsHere_areReplacedAtOnce_andItsMetadataMayBeToldAnew() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      client.ask("SET", METADATA, metadata(PAGE));
      client.ask("SET", KV_BYTES, body(PAGE, 2));
      client.ask("SET", METADATA, metadata(PAGE));
      requirePair(client, 2);
      byte[] told = metadata(PAGE, 3, 2, 2, 16, PAGE / 128);
      assertThat(client.ask("SET", METADATA, told)).isEqualTo("+OK");
      assertThat(client.get(METADATA)).isEqualTo(told);
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void aPairOfAnotherLength_takesThePlaceOfTheOldOne_whenItIsWhole() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      client.ask("SET", METADATA, metadata(PAGE));
      client.ask("SET", KV_BYTES, body(PAGE / 2, 2));
      requirePair(client, 1);
      client.ask("SET", METADATA, metadata(PAGE / 2));
      assertThat(client.get(METADATA)).isEqualTo(metadata(PAGE / 2));
      assertThat(client.get(KV_BYTES)).isEqualTo(body(PAGE / 2, 2));
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void halves_areDroppedAfterAWhile() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      client.ask("SET", "other" + METADATA, metadata(PAGE));
      at.skip(Duration.ofSeconds(1));
      assertThat(at.counters.get(DoorCount.HALF_PAIR_EXPIRED)).isZero();
      at.skip(Duration.ofSeconds(10));
      assertThat(at.counters.get(DoorCount.HALF_PAIR_EXPIRED)).isEqualTo(2);
      assertThat(at.settled()).isZero();
      client.ask("SET", METADATA, metadata(PAGE));
      requireNothing(client);
    }
  }

  @Test
  void halves_areFewAndHoldLittle_theOldestGiveWay() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      for (int i = 0; i < 10; i++) {
        assertThat(client.ask("SET", i + KV_BYTES, body(100, i))).isEqualTo("+OK");
        assertThat(at.agent.cache.stats().pendingChunks())
            .isEqualTo(Math.min(i + 1, RespFixture.MAX_HELD_PAGES));
      }
      for (int i = 0; i < 10; i++) {
        client.ask("SET", "other" + i + METADATA, metadata(PAGE));
      }
      assertThat(at.counters.get(DoorCount.HALF_PAIR_DROPPED))
          .isEqualTo(20 - RespFixture.MAX_HALVES);
      assertThat(at.settled()).isZero();
      client.ask("SET", "other9" + KV_BYTES, body(PAGE, 1));
      assertThat(client.get("other9" + KEY)).isEqualTo(body(PAGE, 1));
    }
  }

  @Test
  void halvesThatDoNotFit_areForgotten() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      assertThat(client.ask("SET", METADATA, metadata(64)))
          .isEqualTo("-ERR the metadata tells of 64 bytes, but the kv_bytes have 4096");
      assertThat(at.settled()).isZero();
      client.ask("SET", METADATA, metadata(64));
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      requireNothing(client);
      client.ask("SET", METADATA, metadata(PAGE));
      requirePair(client, 1);
      assertThat(at.counters.get(DoorCount.HALF_PAIR_MISFIT)).isEqualTo(2);
    }
  }

  @Test
  void metadataThatLies_isRefused() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      for (byte[] lie :
          new byte[][] {
            metadata(PAGE + 1, 6, 2, 2, 16, PAGE / 64),
            metadata(0, 6, 0, 0, 0, 0),
            metadata(-1, 6, 2, 2, 16, PAGE / 64),
            metadata(Integer.MAX_VALUE, 6, 2, 2, 16, 1),
            metadata(PAGE, 6, -2, 2, 16, PAGE / 64),
            metadata(PAGE, 6, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, 2),
            new byte[0],
            new byte[27],
            new byte[29],
            new byte[8]
          }) {
        assertThat(String.valueOf(client.ask("SET", METADATA, lie))).startsWith("-ERR ");
      }
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      requireNothing(client);
    }
  }

  @Test
  void aDeletionOrAWholeValue_endsTheWaitOfAHalf() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      assertThat(client.ask("DEL", METADATA)).isEqualTo(":0");
      assertThat(at.settled()).isZero();
      client.ask("SET", KV_BYTES, body(PAGE / 2, 1));
      client.ask("SET", KEY, body(PAGE, 2));
      assertThat(client.get(METADATA)).isNull();
      client.ask("SET", METADATA, metadata(PAGE));
      requirePair(client, 2);
      assertThat(at.settled()).isEqualTo(1);
    }
  }

  @Test
  void halvesThatWaitAtTheEnd_areDropped() throws Exception {
    DoorFixture at = RespFixture.open();
    try (at;
        RespClientEnd client = new RespClientEnd(at.connect())) {
      client.ask("SET", KV_BYTES, body(PAGE, 1));
      at.door().close();
      assertThat(at.settled()).isZero();
    }
  }
}
