package io.kvmesh.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.cache.LogPosition;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.event.OutboxItem.HeartbeatMark;
import io.kvmesh.agent.event.OutboxItem.Operations;
import io.kvmesh.agent.event.OutboxItem.StartMark;
import io.kvmesh.common.wire.OpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventOutboxTest {

  private static final LogPosition HERE = new LogPosition(0, 0, 0);

  @Test
  void marks_keepTheirPlaceAmongEvents() {
    EventOutbox outbox = new EventOutbox(10);
    outbox.admitted(PumpFixture.KEYSPACE, 1);
    HeartbeatMark mark = new HeartbeatMark(HERE);
    assertThat(outbox.addHeartbeat(mark)).isTrue();
    outbox.evicted(PumpFixture.KEYSPACE, 1, RemovalCause.EVICTED);
    requireOperations(outbox, 1, OpType.ADMIT);
    assertThat(outbox.take(10)).isSameAs(mark);
    requireOperations(outbox, 2, OpType.EVICT);
    assertThat(outbox.take(10)).isNull();
  }

  private static void requireOperations(EventOutbox outbox, long first, OpType... types) {
    assertThat(outbox.take(10))
        .isInstanceOfSatisfying(
            Operations.class,
            operations -> {
              assertThat(operations.types()).containsExactly(types);
              assertThat(operations.firstSequence()).isEqualTo(first);
            });
  }

  @Test
  void full_dropsAndCounts_butGoesOnNumbering() {
    EventOutbox outbox = new EventOutbox(2);
    for (int i = 1; i <= 5; i++) {
      assertThat(outbox.admitted(PumpFixture.KEYSPACE, i)).isEqualTo(i);
    }
    assertThat(outbox.sequence()).isEqualTo(5);
    assertThat(outbox.overflows()).isEqualTo(1);
    assertThat(outbox.dropped()).isEqualTo(3);
    StartMark start = new StartMark("1", HERE);
    assertThat(outbox.addSnapshotPart(start)).isFalse();
    assertThatThrownBy(() -> outbox.resume(start)).isInstanceOf(IllegalStateException.class);
    requireOperations(outbox, 1, OpType.ADMIT, OpType.ADMIT);
    outbox.resume(start);
    outbox.admitted(PumpFixture.KEYSPACE, 6);
    assertThat(outbox.take(10)).isSameAs(start);
    requireOperations(outbox, 6, OpType.ADMIT);
  }

  @Test
  void marks_areBounded_andTakeNoRoomFromEvents() {
    EventOutbox outbox = new EventOutbox(1);
    for (int i = 0; i < EventOutbox.MAX_MARKS; i++) {
      assertThat(outbox.addHeartbeat(new HeartbeatMark(HERE))).isTrue();
    }
    assertThat(outbox.addHeartbeat(new HeartbeatMark(HERE))).isFalse();
    outbox.admitted(PumpFixture.KEYSPACE, 1);
    assertThat(outbox.accepting()).isTrue();
  }

  @Test
  void capacity_isAtLeastOne() {
    assertThatThrownBy(() -> new EventOutbox(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomUse_everyEventComesOutOnceInOrder(long seed) {
    Random random = new Random(seed);
    EventOutbox outbox = new EventOutbox(50);
    List<Long> in = new ArrayList<>();
    List<Long> out = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (outbox.size() < 50 && random.nextInt(3) > 0) {
        long bits = random.nextLong();
        outbox.admitted(random.nextInt(5) == 0 ? PumpFixture.OTHER : PumpFixture.KEYSPACE, bits);
        in.add(bits);
      } else if (outbox.take(1 + random.nextInt(7)) instanceof Operations operations) {
        assertThat(operations.firstSequence()).as("seed %d", seed).isEqualTo(out.size() + 1L);
        for (long bits : operations.hashBits()) {
          out.add(bits);
        }
      }
    }
    assertThat(out).isEqualTo(in.subList(0, out.size()));
    assertThat(outbox.dropped()).isZero();
  }
}
