package io.kvmesh.controller.vllm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken, whatever happens in whatever order. */
class BatchStreamChaosTest {

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

  /**
   * Publications get lost, connections break, engines restart, replays are cut: once all is quiet
   * and asked for, what was taken is of the engine's present life, in order, up to its last batch,
   * and each hole in it is known.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whateverHappens_whatIsTakenIsTrue(boolean available) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      engine.restart();
      engine.available = available;
      engine.room = 1 + random.nextInt(20);
      connect();
      for (int step = 0; step < 60; step++) {
        step(random);
      }
      taken.room = true;
      engine.room = 1000;
      stream.disconnected();
      connect();
      stream.tick();
      deliver();
      answerAll();

      assertTaken("seed %d, round %d".formatted(seed, round));
    }
  }

  private void step(Random random) {
    switch (random.nextInt(12)) {
      case 0 -> engine.publish();
      case 1 -> engine.answers.poll();
      case 2 -> {
        if (random.nextInt(4) == 0) {
          engine.restart();
          stream.disconnected();
          stream.connected();
        }
      }
      case 3 -> stream.connected();
      case 4 -> stream.replayFailed();
      case 5 -> stream.probe();
      case 6 -> taken.room = !taken.room;
      case 7 -> stream.tick();
      case 8 -> answerAll();
      case 9 -> {
        if (!engine.answers.isEmpty()) {
          stream.replayed(engine.answers.remove());
        }
      }
      default -> deliver();
    }
  }

  private void assertTaken(String round) {
    assertThat(taken.batches).as(round).allMatch(batch -> batch.startsWith(engine.life + ":"));
    List<Long> numbers =
        taken.batches.stream()
            .map(batch -> Long.parseLong(batch.substring(batch.indexOf(":") + 1)))
            .toList();
    assertThat(numbers).as(round).last().isEqualTo(engine.next - 1);
    int holes = 0;
    for (int i = 1; i < numbers.size(); i++) {
      assertThat(numbers.get(i)).as(round).isGreaterThan(numbers.get(i - 1));
      holes += numbers.get(i) == numbers.get(i - 1) + 1 ? 0 : 1;
    }
    assertThat(holes).as(round).isLessThanOrEqualTo(taken.missed);
    assertThat(taken.incomplete || numbers.getFirst() == 0).as(round).isTrue();
  }
}
