package io.kvmesh.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.event.FakeEventLog.Mode;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Snapshots among events: what a reader of the log makes of them. */
class SnapshotPublisherTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @Test
  void start_writesASnapshotAtOnce() {
    try (PumpFixture at = new PumpFixture(64, 100)) {
      at.jitter = 9 * SECOND;
      at.settle();
      assertThat(at.log.all(SnapshotEnd.class))
          .containsExactly(new SnapshotEnd("A", 0, 100, "LocalCPUBackend", "100-1", 0, 0, 0, 0));
    }
  }

  @Test
  void snapshot_hasBatchesOfOneKeyspace_numberedFromZero() {
    try (PumpFixture at = new PumpFixture(64, 100)) {
      at.put(1, 2);
      at.put(new ChunkKey(PumpFixture.OTHER, ChunkHash.ofSigned(3)));
      at.put(4, 5, 6);
      at.started();
      List<SnapshotBatch> batches = at.log.all(SnapshotBatch.class).toList();
      assertThat(batches).extracting(SnapshotBatch::batchId).containsExactly(0, 1, 2);
      assertThat(batches)
          .extracting(SnapshotBatch::keyspace)
          .containsExactly("model@1@0@half", "other@1@0@half", "model@1@0@half");
      assertThat(batches).extracting(batch -> batch.keys().size()).containsExactly(3, 1, 2);
      assertThat(at.log.all(SnapshotEnd.class).findFirst().orElseThrow().batchCount()).isEqualTo(3);
      at.requireViewIsRight();
    }
  }

  @Test
  void asked_beginsAfterJitter_andAtMostOneAMinute() {
    try (PumpFixture at = new PumpFixture(64, 100).started()) {
      at.put(1);
      at.pass(Duration.ofMinutes(10));
      at.jitter = 4 * SECOND;
      at.snapshots.wanted();
      at.snapshots.wanted();
      at.pass(Duration.ofMillis(3_900));
      assertThat(at.counters.snapshotsStarted.get()).isEqualTo(1);
      at.pass(Duration.ofMillis(200));
      assertThat(at.counters.snapshotsCompleted.get()).isEqualTo(2);
      for (int second = 0; second < 125; second++) {
        at.snapshots.wanted();
        at.pass(Duration.ofSeconds(1));
      }
      assertThat(at.counters.snapshotsCompleted.get()).isEqualTo(4);
      assertThat(at.counters.snapshotsWanted.get()).isEqualTo(127);
      at.requireViewIsRight();
    }
  }

  @Test
  void asked_whileOneIsUnderWay_thatOneIsTheAnswer() {
    try (PumpFixture at = walking()) {
      at.snapshots.wanted();
      goOn(at);
      at.pass(Duration.ofMinutes(5));
      assertThat(at.counters.snapshotsStarted.get()).isEqualTo(2);
    }
  }

  /** Chunks 0 to 39 are resident; a second snapshot is in its middle. */
  private static PumpFixture walking() {
    PumpFixture at = new PumpFixture(64, 32, 500, 4);
    at.put(LongStream.range(0, 30).toArray());
    at.settle();
    at.put(LongStream.range(30, 40).toArray());
    at.pass(Duration.ofMinutes(2));
    at.snapshots.wanted();
    at.log.mode = Mode.HOLD;
    at.turns();
    assertThat(at.counters.snapshotsStarted.get()).isEqualTo(2);
    assertThat(at.log.held()).isEqualTo(4);
    return at;
  }

  private static void goOn(PumpFixture at) {
    at.log.mode = Mode.TAKE;
    at.log.takeHeld(at.log.held());
    at.settle();
  }

  @Test
  void chunkNamedAndThenEvicted_isGone() {
    try (PumpFixture at = walking()) {
      at.remove(0, 1, 39);
      goOn(at);
      assertThat(namedByTheSecond(at.log.records)).contains(0L, 1L);
      assertThat(at.view().wholeSnapshots).isEqualTo(2);
      at.requireViewIsRight();
    }
  }

  private static List<Long> namedByTheSecond(List<LogEvent> records) {
    return records.stream()
        .filter(SnapshotBatch.class::isInstance)
        .map(SnapshotBatch.class::cast)
        .filter(batch -> batch.snapshotId().endsWith("-2"))
        .flatMap(batch -> batch.keys().stream())
        .map(ChunkHash::bits)
        .toList();
  }

  @Test
  void chunkTouchedWhileTheSnapshotWalks_stays() {
    try (PumpFixture at = walking()) {
      for (long hash = 39; hash >= 0; hash--) {
        at.touch(hash);
      }
      goOn(at);
      assertThat(namedByTheSecond(at.log.records)).hasSize(40).doesNotHaveDuplicates();
      at.requireViewIsRight();
    }
  }

  @Test
  void chunkThatComesIntoASlotAlreadyPassed_stays() {
    try (PumpFixture at = walking()) {
      at.remove(0);
      at.put(1_000);
      goOn(at);
      assertThat(namedByTheSecond(at.log.records)).doesNotContain(1_000L);
      at.requireViewIsRight();
    }
  }

  @Test
  void overflowInsideASnapshot_leavesNoGhostAndNoHole() {
    try (PumpFixture at = walking()) {
      at.put(LongStream.range(100, 120).toArray());
      at.remove(LongStream.range(0, 20).toArray());
      assertThat(at.outbox.accepting()).isFalse();
      goOn(at);
      at.pass(Duration.ofMinutes(2));
      assertThat(at.counters.snapshotsVoided.get()).isEqualTo(1);
      assertThat(at.log.all(SnapshotEnd.class))
          .extracting(SnapshotEnd::snapshotId)
          .containsExactly("100-1", "100-3");
      assertThat(at.view().brokenSnapshots).isZero();
      at.requireViewIsRight();
    }
  }

  @Test
  void overflow_whatWasQueuedBeforeTheHoleGoesOut_andThenTheStart() {
    try (PumpFixture at = new PumpFixture(64, 8, 4, 64).started()) {
      int before = at.log.records.size();
      at.put(LongStream.range(0, 20).toArray());
      at.settle();
      assertThat(at.log.records.subList(before, before + 2))
          .hasOnlyElementsOfType(BatchedKVOperation.class);
      assertThat(at.log.records.get(before + 2))
          .isEqualTo(new SnapshotStart("A", 0, 100, "LocalCPUBackend", "100-2", 20));
      assertThat(at.outbox.dropped()).isEqualTo(12);
    }
  }

  @Test
  void afterALoss_theLogGoesOnAtOnce_onlyTheWalkWaitsForTheMinute() {
    try (PumpFixture at = new PumpFixture(64, 8, 4, 64).started()) {
      at.put(LongStream.range(0, 20).toArray());
      at.settle();
      at.put(30);
      at.settle();
      assertThat(at.view().chunks).contains(new LogView.Chunk("model@1@0@half", 30));
      assertThat(at.counters.snapshotsStarted.get()).isEqualTo(2);
      at.pass(Duration.ofSeconds(58));
      assertThat(at.counters.snapshotsCompleted.get()).isEqualTo(1);
      at.pass(Duration.ofSeconds(3));
      assertThat(at.counters.snapshotsCompleted.get()).isEqualTo(2);
      at.requireViewIsRight();
    }
  }

  @Test
  void afterALoss_longAfterTheLastSnapshot_healsAtOnce() {
    try (PumpFixture at = new PumpFixture(64, 8, 4, 64).started()) {
      at.pass(Duration.ofMinutes(2));
      at.put(LongStream.range(0, 20).toArray());
      at.settle();
      at.requireViewIsRight();
    }
  }

  @Test
  void overflowAgainAndAgain_noSnapshotStorm_theFirstQuietMomentHeals() {
    try (PumpFixture at = new PumpFixture(64, 32, 4, 2).started()) {
      at.pass(Duration.ofMinutes(2));
      at.log.mode = Mode.HOLD;
      for (int i = 0; i < 2_000; i++) {
        at.put(LongStream.range(3L * i, 3L * i + 3).toArray());
        at.turns();
        at.log.takeHeld(Math.min(1, at.log.held()));
        at.turns();
      }
      long starts = at.log.count(SnapshotStart.class);
      assertThat(at.outbox.overflows()).isGreaterThan(20);
      assertThat(starts).isLessThanOrEqualTo(at.outbox.overflows() + 1);
      assertThat(at.log.count(SnapshotBatch.class))
          .isLessThan(at.log.count(BatchedKVOperation.class));
      assertThat(at.counters.snapshotsCompleted.get()).isEqualTo(1);
      goOn(at);
      at.requireViewIsRight();
    }
  }

  @Test
  void parts_areCutOnlyWhileTheOutboxIsUnderHalfFull() {
    try (PumpFixture at = walking()) {
      at.put(LongStream.range(100, 116).toArray());
      assertThat(at.outbox.underHalfFull()).isFalse();
      assertThat(at.outbox.hasMarks()).isTrue();
      // The part that waited goes out; none joins the events.
      at.log.takeHeld(1);
      at.turns();
      assertThat(at.outbox.hasMarks()).isFalse();
      at.log.takeHeld(4);
      at.settle();
      assertThat(at.outbox.hasMarks()).isTrue();
      goOn(at);
      at.pass(Duration.ofMinutes(2));
      at.requireViewIsRight();
    }
  }
}
