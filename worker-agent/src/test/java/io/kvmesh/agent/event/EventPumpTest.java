package io.kvmesh.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.event.FakeEventLog.Mode;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The writer of the log, turn by turn. */
class EventPumpTest {

  @Test
  void epoch_isTheOffsetOfTheAcknowledgedWorkerUp_andNothingGoesBeforeIt() {
    try (PumpFixture at = new PumpFixture(8, 100)) {
      at.log.mode = Mode.HOLD;
      at.put(1, 2);
      at.settle();
      assertThat(at.pump.epoch()).isEqualTo(-1);
      assertThat(at.log.held()).isEqualTo(1);
      at.log.mode = Mode.TAKE;
      at.log.takeHeld(1);
      at.settle();
      assertThat(at.pump.epoch()).isEqualTo(100);
      assertThat(at.log.records.getFirst())
          .isEqualTo(new WorkerUp("A", 0, 0, PumpFixture.ANNOUNCEMENT));
      assertThat(at.log.records).extracting(LogEvent::epoch).startsWith(0L, 100L);
      at.requireViewIsRight();
    }
  }

  @Test
  void workerUp_refused_isRepeated_andTheAcknowledgedOneCounts() {
    try (PumpFixture at = new PumpFixture(8, 100)) {
      at.log.mode = Mode.HOLD;
      at.settle();
      at.log.takeHeldSilently();
      at.log.mode = Mode.TAKE;
      at.pass(Duration.ofMillis(900));
      assertThat(at.pump.epoch()).isEqualTo(-1);
      at.pass(Duration.ofMillis(200));
      assertThat(at.log.count(WorkerUp.class)).isEqualTo(2);
      assertThat(at.pump.epoch()).isEqualTo(101);
    }
  }

  @Test
  void events_areNumberedFromOne_andSplitAtKeyspaceAndSize() {
    try (PumpFixture at = new PumpFixture(64, 100, 3, 64).started()) {
      at.put(1, 2, 3, 4);
      at.put(new ChunkKey(PumpFixture.OTHER, ChunkHash.ofSigned(1)));
      at.put(5);
      at.settle();
      List<BatchedKVOperation> batches = at.log.all(BatchedKVOperation.class).toList();
      assertThat(batches)
          .extracting(batch -> batch.operations().size())
          .containsExactly(3, 1, 1, 1);
      assertThat(batches)
          .extracting(BatchedKVOperation::keyspace)
          .containsExactly("model@1@0@half", "model@1@0@half", "other@1@0@half", "model@1@0@half");
      assertThat(batches.stream().flatMap(batch -> batch.operations().stream()))
          .extracting(KVOpEvent::seqNum)
          .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
      assertThat(batches).extracting(BatchedKVOperation::location).containsOnly("LocalCPUBackend");
      at.requireViewIsRight();
    }
  }

  @Test
  void fewEvents_waitForCompany_manyDont() {
    try (PumpFixture at = new PumpFixture(64, 100, 10, 64).started()) {
      at.put(1, 2);
      at.turns();
      assertThat(at.log.count(BatchedKVOperation.class)).isZero();
      at.pass(Duration.ofMillis(2));
      assertThat(at.log.count(BatchedKVOperation.class)).isEqualTo(1);
      at.put(3);
      at.turns();
      int before = at.wakeUps;
      at.put(LongStream.range(4, 13).toArray());
      assertThat(at.wakeUps).isEqualTo(before + 1);
      at.turns();
      assertThat(at.log.count(BatchedKVOperation.class)).isEqualTo(2);
    }
  }

  @Test
  void manyEvents_wakeThePublisherOnce() {
    try (PumpFixture at = new PumpFixture(64, 100).started()) {
      int before = at.wakeUps;
      at.put(LongStream.range(0, 60).toArray());
      assertThat(at.wakeUps).isEqualTo(before + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void heartbeat_tellsWhatTheLogSaysAtItsPlace(long seed) {
    Random random = new Random(seed);
    try (PumpFixture at = new PumpFixture(8, 1_000, 5, 64).started()) {
      for (int i = 0; i < 300; i++) {
        for (int k = random.nextInt(9); k > 0; k--) {
          at.put(random.nextInt(30));
          at.remove(random.nextInt(30));
        }
        at.pass(Duration.ofMillis(random.nextInt(3_000)));
      }
      LogView view = at.view();
      assertThat(view.gaps + view.duplicates).as("seed %d", seed).isZero();
      assertThat(at.log.count(Heartbeat.class)).isGreaterThan(50);
      assertThat(view.digestsCompared).isEqualTo(at.log.count(Heartbeat.class));
      at.requireViewIsRight();
    }
  }

  @Test
  void heartbeats_goOutWithoutEvents_andRepeatTheAnnouncement() {
    try (PumpFixture at = new PumpFixture(8, 100).started()) {
      at.put(7);
      at.settle();
      at.pass(Duration.ofSeconds(20));
      List<Heartbeat> heartbeats = at.log.all(Heartbeat.class).toList();
      assertThat(heartbeats).hasSize(5);
      assertThat(heartbeats.getLast().announcement()).isEqualTo(PumpFixture.ANNOUNCEMENT);
      assertThat(heartbeats.getLast().locations())
          .containsExactly(
              new LocationState("LocalCPUBackend", 1, 1, at.cache.position().digest()));
      assertThat(heartbeats.getFirst().sentMillis()).isEqualTo(PumpFixture.START.toEpochMilli());
      assertThat(heartbeats.getLast().sentMillis())
          .isEqualTo(PumpFixture.START.plusSeconds(20).toEpochMilli());
      assertThat(at.counters.heartbeats.get()).isEqualTo(5);
    }
  }

  @Test
  void heartbeats_tellWhetherTheAgentIsGoing() {
    try (PumpFixture at = new PumpFixture(8, 100).started()) {
      at.drain = DrainState.DRAINING;
      at.pass(Duration.ofSeconds(5));
      at.drain = DrainState.DRAINED;
      at.pass(Duration.ofSeconds(5));
      at.drain = null;
      at.pass(Duration.ofSeconds(5));
      assertThat(at.log.all(Heartbeat.class).map(Heartbeat::drain))
          .containsExactly(null, DrainState.DRAINING, DrainState.DRAINED, null);
    }
  }

  @Test
  void kafkaSlow_heartbeatsDontPileUp() {
    try (PumpFixture at = new PumpFixture(8, 100, 500, 1).started()) {
      at.log.mode = Mode.HOLD;
      at.put(1);
      at.pass(Duration.ofMinutes(5));
      assertThat(at.outbox.size()).isLessThanOrEqualTo(EventOutbox.MAX_MARKS);
      at.log.mode = Mode.TAKE;
      at.log.takeHeld(1);
      at.settle();
      at.requireViewIsRight();
    }
  }

  @Test
  void inFlight_isBounded() {
    try (PumpFixture at = new PumpFixture(64, 100, 2, 3).started()) {
      at.log.mode = Mode.HOLD;
      at.put(LongStream.range(0, 20).toArray());
      at.settle();
      assertThat(at.log.held()).isEqualTo(3);
      at.log.takeHeld(1);
      at.settle();
      assertThat(at.log.held()).isEqualTo(3);
    }
  }

  @Test
  void refusedSend_nothingOfTheQueueGoesOutBeforeANewSnapshot() {
    try (PumpFixture at = new PumpFixture(64, 1_000, 2, 4).started()) {
      at.log.mode = Mode.HOLD;
      at.put(LongStream.range(0, 40).toArray());
      at.settle();
      int before = at.log.records.size();
      at.log.refuseHeld(1);
      at.log.mode = Mode.TAKE;
      at.pass(Duration.ofSeconds(2));
      // Three are still in flight: what becomes of them isn't known, so nothing follows.
      assertThat(at.log.records).hasSize(before);
      at.put(100);
      at.log.takeHeld(3);
      at.pass(Duration.ofSeconds(2));
      assertThat(at.log.records.get(before + 3)).isInstanceOf(SnapshotStart.class);
      at.pass(Duration.ofMinutes(2));
      at.requireViewIsRight();
      assertThat(at.counters.failedSends.get()).isEqualTo(1);
      assertThat(at.outbox.dropped()).isEqualTo(33);
    }
  }

  @Test
  void refusedHeartbeat_losesNoEvents() {
    try (PumpFixture at = new PumpFixture(64, 1_000).started()) {
      at.log.mode = Mode.HOLD;
      at.pass(Duration.ofSeconds(6));
      at.put(1, 2, 3);
      at.settle();
      at.log.refuseHeld(1);
      at.log.mode = Mode.TAKE;
      at.log.takeHeld(at.log.held());
      at.settle();
      at.requireViewIsRight();
      assertThat(at.view().gaps).isZero();
      assertThat(at.counters.snapshotsStarted.get()).isEqualTo(1);
    }
  }

  @Test
  void logReplacedByAnother_aNewLifeBeginsThere() {
    try (PumpFixture at = new PumpFixture(64, 1_000).started()) {
      at.put(1, 2, 3);
      at.pass(Duration.ofMinutes(2));
      at.log.replacedBy = 110;
      at.put(4);
      at.settle();
      int up = at.log.records.lastIndexOf(new WorkerUp("A", 0, 0, PumpFixture.ANNOUNCEMENT));
      assertThat(up).isPositive();
      assertThat(at.pump.epoch()).isEqualTo(FakeEventLog.offset(up) - 110);
      at.put(5);
      at.settle();
      assertThat(at.log.records.getLast().epoch()).isEqualTo(at.pump.epoch());
      at.requireViewIsRight();
    }
  }

  @Test
  void faultOfTheProgram_isMendedLikeARefusedSend() {
    try (PumpFixture at = new PumpFixture(64, 1_000).started()) {
      at.put(1, 2, 3);
      at.pump.fault(at.now);
      at.pass(Duration.ofMinutes(2));
      assertThat(at.counters.snapshotsStarted.get()).isEqualTo(2);
      at.requireViewIsRight();
    }
  }

  @Test
  void kafkaAwayAtTheStart_theCacheWorks_andASnapshotTellsWhatWasLost() {
    try (PumpFixture at = new PumpFixture(64, 10)) {
      at.log.mode = Mode.REFUSE;
      at.put(LongStream.range(0, 50).toArray());
      at.pass(Duration.ofMinutes(3));
      assertThat(at.pump.epoch()).isEqualTo(-1);
      assertThat(at.outbox.overflows()).isEqualTo(1);
      assertThat(at.outbox.dropped()).isEqualTo(40);
      at.log.mode = Mode.TAKE;
      at.pass(Duration.ofSeconds(2));
      at.requireViewIsRight();
      assertThat(at.log.count(WorkerUp.class)).isEqualTo(1);
    }
  }

  @Test
  void laterEpoch_endsAllWriting() {
    try (PumpFixture at = new PumpFixture(64, 100).started()) {
      at.pump.epochSeen(100);
      at.pump.epochSeen(99);
      assertThat(at.pump.fenced()).isFalse();
      at.pump.epochSeen(101);
      assertThat(at.pump.fenced()).isTrue();
      int before = at.log.records.size();
      at.put(1, 2, 3);
      at.pass(Duration.ofMinutes(5));
      at.pump.finishingTurn(at.now);
      assertThat(at.pump.finished()).isTrue();
      assertThat(at.log.records).hasSize(before);
      assertThat(at.pump.epoch()).isEqualTo(100);
    }
  }

  @Test
  void finish_sendsWhatWaits_thenWorkerDownWithTheLastHeartbeat() {
    try (PumpFixture at = new PumpFixture(64, 100, 2, 64).started()) {
      at.pass(Duration.ofSeconds(6));
      int heartbeat = lastHeartbeat(at.log.records);
      at.put(1, 2, 3, 4, 5);
      at.cache.shutdown();
      finish(at);
      assertThat(at.log.records.getLast())
          .isEqualTo(
              new WorkerDown("A", 0, 100, DownReason.DEREGISTERED, FakeEventLog.offset(heartbeat)));
      LogView view = LogView.of(at.log.records.subList(0, at.log.records.size() - 1));
      assertThat(view.chunks).isEmpty();
      assertThat(view.sequence).isEqualTo(10);
    }
  }

  private static int lastHeartbeat(List<LogEvent> records) {
    int last = records.size() - 1;
    while (!(records.get(last) instanceof Heartbeat)) {
      last--;
    }
    return last;
  }

  private static void finish(PumpFixture at) {
    for (int i = 0; i < 10 && !at.pump.finished(); i++) {
      at.pump.finishingTurn(at.now);
    }
    assertThat(at.pump.finished()).isTrue();
  }

  @Test
  void finish_afterALoss_saysGoodbyeWithoutAnotherSnapshot() {
    try (PumpFixture at = new PumpFixture(64, 4).started()) {
      at.put(1, 2, 3, 4, 5, 6);
      finish(at);
      assertThat(at.log.records.getLast()).isInstanceOf(WorkerDown.class);
      assertThat(at.log.count(SnapshotStart.class)).isEqualTo(1);
    }
  }

  @Test
  void finish_whileTheLogIsAway_endsAtOnce() {
    try (PumpFixture at = new PumpFixture(64, 100)) {
      at.log.mode = Mode.REFUSE;
      at.settle();
      finish(at);
      assertThat(at.log.records).isEmpty();
    }
  }

  /** Whatever fails, overflows or is slow on the way: a quiet minute later the view is right. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void randomTroubles_healInAQuietMinute(long seed) {
    Random random = new Random(seed);
    try (PumpFixture at = new PumpFixture(16, 24, 5, 4)) {
      for (int i = 0; i < 3_000; i++) {
        trouble(at, random);
        for (int k = random.nextInt(12); k > 0; k--) {
          at.put(random.nextInt(40));
          at.remove(random.nextInt(40));
        }
        if (random.nextInt(50) == 0) {
          at.cache.clear();
        }
        if (random.nextInt(20) == 0) {
          at.snapshots.wanted();
        }
        at.pass(Duration.ofMillis(random.nextInt(400)));
      }
      at.log.mode = Mode.TAKE;
      at.log.takeHeld(at.log.held());
      at.pass(Duration.ofSeconds(62));
      LogView view = at.view();
      assertThat(view.suspect).as("seed %d", seed).isFalse();
      assertThat(view.wholeSnapshots).isPositive();
      at.requireViewIsRight();
    }
  }

  private static void trouble(PumpFixture at, Random random) {
    int held = at.log.held();
    switch (random.nextInt(8)) {
      case 0 -> at.log.mode = Mode.HOLD;
      case 1 -> at.log.mode = random.nextInt(4) == 0 ? Mode.REFUSE : Mode.TAKE;
      case 2 -> at.log.takeHeld(held);
      case 3 -> at.log.takeHeld(random.nextInt(held + 1));
      case 4 -> at.log.refuseHeld(random.nextInt(5) == 0 ? random.nextInt(held + 1) : 0);
      case 5 -> {
        if (held > 0 && random.nextInt(5) == 0) {
          at.log.takeHeldSilently();
        }
      }
      default -> {}
    }
    if (at.log.mode != Mode.HOLD) {
      at.log.takeHeld(at.log.held());
    }
  }
}
