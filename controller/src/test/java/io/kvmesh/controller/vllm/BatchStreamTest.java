package io.kvmesh.controller.vllm;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.controller.vllm.EngineCounts.Cleared;
import org.junit.jupiter.api.Test;

/** Which batches are taken, and when all is begun anew, whatever gets lost on the way. */
class BatchStreamTest {

  private final EngineCounts counts = new EngineCounts();
  private final KeptBatches engine = new KeptBatches();
  private final TakenBatches taken = new TakenBatches();
  private final BatchStream stream = new BatchStream(engine, taken, counts, new Backlog(100_000));

  private void answerAll() {
    while (!engine.answers.isEmpty()) {
      stream.replayed(engine.answers.remove());
    }
  }

  private void deliver() {
    stream.published(engine.publish());
  }

  private void connect() {
    stream.connected();
    answerAll();
  }

  private EnginePosition position(int batches) {
    EnginePosition[] last = new EnginePosition[1];
    KeptBatches other = new KeptBatches();
    BatchSink sink =
        new BatchSink() {
          @Override
          public void begin(boolean incomplete) {}

          @Override
          public void missed() {}

          @Override
          public void apply(Numbered batch, long check) {
            last[0] = new EnginePosition(batch.sequence(), check, 0);
          }

          @Override
          public boolean hasRoom() {
            return true;
          }
        };
    BatchStream reader = new BatchStream(other, sink, counts, new Backlog(1000));
    for (int i = 0; i < batches; i++) {
      other.publish();
    }
    reader.connected();
    while (!other.answers.isEmpty()) {
      reader.replayed(other.answers.remove());
    }
    return last[0];
  }

  @Test
  void engineThatHasPublishedNothing_isFollowedFromItsFirst() {
    connect();
    deliver();
    deliver();

    assertThat(taken.batches).containsExactly("0:0", "0:1");
    assertThat(taken.incomplete).isFalse();
    assertThat(stream.isFollowing()).isTrue();
  }

  @Test
  void engineThatHasAll_isTakenFromItsFirst_andNothingTwice() {
    engine.publish();
    engine.publish();
    stream.connected();
    Numbered published = engine.publish();
    stream.published(published);
    engine.ask(0);
    answerAll();
    deliver();

    assertThat(taken.batches).containsExactly("0:0", "0:1", "0:2", "0:3");
    assertThat(taken.begun).isEqualTo(1);
    assertThat(counts.gaps()).isZero();
  }

  @Test
  void engineThatHasItsLastOnly_isIncomplete() {
    engine.room = 2;
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    connect();

    assertThat(taken.batches).containsExactly("0:3", "0:4");
    assertThat(taken.incomplete).isTrue();
  }

  @Test
  void gap_isFilledByReplay() {
    connect();
    deliver();
    engine.publish();
    engine.publish();
    deliver();
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:1", "0:2", "0:3");
    assertThat(taken.begun).isEqualTo(1);
    assertThat(counts.gaps()).isEqualTo(1);
  }

  @Test
  void gapThatCantBeFilled_isMissed_andWhatIsKnownStays() {
    connect();
    deliver();
    engine.room = 2;
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    deliver();
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:5", "0:6");
    assertThat(taken.begun).isEqualTo(1);
    assertThat(taken.missed).isEqualTo(1);
    assertThat(counts.losses()).isEqualTo(1);
  }

  @Test
  void gapWithoutReplay_isMissed_andWhatIsKnownStays() {
    engine.available = false;
    connect();
    deliver();
    assertThat(taken.incomplete).isFalse();
    engine.publish();
    deliver();
    deliver();

    assertThat(taken.batches).containsExactly("0:0", "0:2", "0:3");
    assertThat(taken.incomplete).isFalse();
    assertThat(taken.missed).isEqualTo(1);
  }

  @Test
  void replayThatEndsEarly_isAskedForTheRest() {
    connect();
    deliver();
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    deliver();
    engine.answers.removeIf(batch -> batch.sequence() == 3);
    answerAll();

    assertThat(taken.batches).hasSize(7).last().isEqualTo("0:6");
    assertThat(taken.begun).isEqualTo(1);
  }

  @Test
  void replayThatNeverGetsOn_isGivenUp() {
    connect();
    deliver();
    engine.publish();
    deliver();
    engine.answers.removeIf(batch -> batch.sequence() == 1);
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:2");
    assertThat(taken.missed).isEqualTo(1);
  }

  @Test
  void engineThatKeepsNothing_isFollowedAllTheSame() {
    engine.room = 0;
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    connect();
    assertThat(taken.incomplete).isFalse();
    deliver();
    answerAll();
    deliver();
    assertThat(taken.batches).containsExactly("0:5", "0:6");
    assertThat(taken.incomplete).isTrue();

    engine.publish();
    deliver();
    answerAll();
    assertThat(taken.batches).containsExactly("0:5", "0:6", "0:8");
    assertThat(taken.missed).isEqualTo(1);

    stream.probe();
    answerAll();
    deliver();
    assertThat(taken.batches).hasSize(4);
    assertThat(taken.begun).isEqualTo(2);
  }

  @Test
  void replayThatBeginsRightBehindTheLast_hasNoHole() {
    connect();
    deliver();
    engine.publish();
    engine.room = 2;
    deliver();
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:1", "0:2");
    assertThat(taken.missed).isZero();
  }

  @Test
  void newConnection_toAnEngineThatHasNoLongerTheLast_provesNothing() {
    connect();
    deliver();
    engine.room = 2;
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    connect();

    assertThat(taken.batches).containsExactly("0:4", "0:5");
    assertThat(taken.incomplete).isTrue();
    assertThat(counts.cleareds(Cleared.GAP)).isEqualTo(1);
  }

  @Test
  void replayWithoutAnswer_isGivenUp_andLaterGapsAreAskedForAgain() {
    stream.connected();
    engine.publish();
    deliver();
    stream.replayFailed();
    assertThat(taken.batches).containsExactly("0:1");
    assertThat(taken.incomplete).isTrue();
    assertThat(counts.replayFailures()).isEqualTo(1);

    engine.publish();
    deliver();
    answerAll();
    assertThat(taken.batches).containsExactly("0:1", "0:2", "0:3");
  }

  @Test
  void restart_whateverNumberItIsAt_isNoticedByTheBytes() {
    for (int published : new int[] {0, 1, 2, 3, 10}) {
      connect();
      deliver();
      deliver();
      int life = engine.life + 1;
      engine.restart();
      for (int i = 0; i < published; i++) {
        engine.publish();
      }
      stream.disconnected();
      connect();

      assertThat(taken.batches).hasSize(published).allMatch(batch -> batch.startsWith(life + ":"));
      assertThat(taken.incomplete).isFalse();
    }
    assertThat(counts.cleareds(Cleared.RESTART)).isEqualTo(5);
  }

  @Test
  void restartBehindARelay_isNoticedByTheNumber() {
    connect();
    deliver();
    deliver();
    engine.restart();
    deliver();
    answerAll();
    deliver();

    assertThat(taken.batches).containsExactly("1:0", "1:1");
    assertThat(counts.cleareds(Cleared.RESTART)).isEqualTo(1);
  }

  @Test
  void newConnectionWithoutReplay_provesNothing() {
    engine.available = false;
    connect();
    deliver();
    stream.disconnected();
    connect();
    assertThat(taken.batches).isEmpty();
    deliver();

    assertThat(taken.batches).containsExactly("0:1");
    assertThat(taken.incomplete).isTrue();
  }

  @Test
  void resumedPosition_ofTheSameLife_goesOn() {
    stream.resume(position(3));
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    connect();

    assertThat(taken.begun).isZero();
    assertThat(taken.batches).containsExactly("0:3", "0:4");
  }

  @Test
  void resumedPosition_ofAnotherLife_beginsAnew() {
    stream.resume(position(3));
    engine.restart();
    for (int i = 0; i < 5; i++) {
      engine.publish();
    }
    connect();

    assertThat(taken.begun).isEqualTo(1);
    assertThat(taken.incomplete).isFalse();
    assertThat(taken.batches).hasSize(5);
    assertThat(counts.cleareds(Cleared.RESTART)).isEqualTo(1);
  }

  @Test
  void lastBatchThatDidNotCome_isFoundByAProbe() {
    connect();
    deliver();
    engine.publish();
    stream.probe();
    assertThat(stream.isFollowing()).isTrue();
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:1");
    stream.probe();
    stream.replayFailed();
    assertThat(taken.begun).isEqualTo(1);
    assertThat(stream.isFollowing()).isTrue();
  }

  @Test
  void noRoom_waits_andWhatDoesNotFitIsAskedForAgain() {
    connect();
    taken.room = false;
    for (int i = 0; i < 2000; i++) {
      deliver();
    }
    assertThat(taken.batches).isEmpty();
    assertThat(counts.overflows()).isPositive();

    engine.room = 5000;
    taken.room = true;
    stream.tick();
    answerAll();
    assertThat(taken.batches).hasSizeLessThanOrEqualTo(2000).last().isEqualTo("0:1999");
  }

  @Test
  void noRoomInAReplay_asksAgainWhenThereIs() {
    engine.publish();
    engine.publish();
    stream.connected();
    taken.room = false;
    answerAll();
    assertThat(stream.isFollowing()).isFalse();
    taken.room = true;
    stream.tick();
    answerAll();

    assertThat(taken.batches).containsExactly("0:0", "0:1");
    assertThat(stream.isFollowing()).isTrue();
  }
}
