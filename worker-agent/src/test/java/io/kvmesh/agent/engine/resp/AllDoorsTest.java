package io.kvmesh.agent.engine.resp;

import static io.kvmesh.agent.engine.resp.RespClientEnd.metadata;
import static io.kvmesh.agent.engine.resp.RespFixture.KEY;
import static io.kvmesh.agent.engine.resp.RespFixture.body;
import static io.kvmesh.agent.engine.tcp.DoorFixture.MAX_BODY;
import static io.kvmesh.agent.engine.tcp.DoorFixture.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.engine.lm.LmClient;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.tcp.DoorFixture;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What came through one door is found at each of the others. */
@Timeout(60)
class AllDoorsTest {

  @Test
  void whatCameThroughOneDoor_isFoundAtTheOthers() throws Exception {
    try (DoorFixture at = RespFixture.open();
        RespClientEnd redis = new RespClientEnd(at.connect());
        LmClient lm = new LmClient(DoorFixture.connect(lmDoor(at)))) {
      lm.put(KEY, body(PAGE, 1));
      assertThat(lm.isHealthy()).isTrue();
      requireEverywhere(at, redis, lm, 1);
      redis.ask("SET", KEY + "kv_bytes", body(PAGE, 2));
      redis.ask("SET", KEY + "metadata", metadata(PAGE));
      requireEverywhere(at, redis, lm, 2);
      redis.ask("SET", KEY, body(PAGE, 3));
      requireEverywhere(at, redis, lm, 3);
      assertThat(at.settled()).isEqualTo(1);
      redis.ask("DEL", KEY);
      assertThat(lm.exists(KEY)).isFalse();
      assertThat(at.settled()).isZero();
    }
  }

  private static int lmDoor(DoorFixture at) throws Exception {
    return at.openFurther((desk, clock) -> new LmProtocol(desk, MAX_BODY));
  }

  private static void requireEverywhere(DoorFixture at, RespClientEnd redis, LmClient lm, int value)
      throws Exception {
    assertThat(lm.exists(KEY)).isTrue();
    assertThat(lm.get(KEY)).isEqualTo(body(PAGE, value));
    assertThat(redis.ask("EXISTS", KEY, KEY + "metadata", KEY + "kv_bytes")).isEqualTo(":3");
    assertThat(redis.get(KEY)).isEqualTo(body(PAGE, value));
    assertThat(redis.get(KEY + "kv_bytes")).isEqualTo(body(PAGE, value));
    assertThat(redis.get(KEY + "metadata")).isEqualTo(metadata(PAGE));
    try (ChunkLease lease = at.agent.cache.leasePrefix(List.of(ChunkKey.parse(KEY)))) {
      assertThat(lease.body(0).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(body(PAGE, value));
    }
  }

  /** The header of lm:// has room for values of one type. */
  @Test
  void valuesOfTwoTypes_areNotToldThroughADoorThatCannot() throws Exception {
    byte[] two = Arrays.copyOf(metadata(PAGE, 6, 2, 2, 16, 32), 48);
    ByteBuffer.wrap(two)
        .order(ByteOrder.LITTLE_ENDIAN)
        .position(28)
        .putInt(3)
        .putInt(2)
        .putInt(2)
        .putInt(16)
        .putInt(16);
    try (DoorFixture at = RespFixture.open();
        RespClientEnd redis = new RespClientEnd(at.connect());
        LmClient lm = new LmClient(DoorFixture.connect(lmDoor(at)))) {
      assertThat(redis.ask("SET", KEY + "kv_bytes", body(PAGE, 1))).isEqualTo("+OK");
      assertThat(redis.ask("SET", KEY + "metadata", two)).isEqualTo("+OK");
      assertThat(redis.get(KEY + "metadata")).isEqualTo(two);
      assertThat(lm.get(KEY)).isNull();
    }
  }
}
