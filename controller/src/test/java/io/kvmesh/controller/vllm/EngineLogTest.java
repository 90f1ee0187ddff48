package io.kvmesh.controller.vllm;

import static io.kvmesh.controller.vllm.FakeEngine.removed;
import static io.kvmesh.controller.vllm.FakeEngine.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.KvEventCodec;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.common.wire.vllm.AllBlocksCleared;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.vllm.EngineCounts.Ignored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What an engine can make this controller write and keep, with a log that answers by hand. */
class EngineLogTest {

  private final EngineCounts counts = new EngineCounts();
  private final SlowLog slow = new SlowLog();
  private final KvEventCodec codec = new KvEventCodec();
  private final EngineLog log =
      new EngineLog(
          new EngineSettings(
              new WorkerId("vllm-0", 0),
              "tcp://host:5557",
              "",
              "",
              "m",
              FakeEngine.BLOCK_TOKENS,
              "",
              ""),
          slow,
          counts,
          codec);
  private long next;

  private static final class SlowLog implements EventLogWriter {

    private final List<LogEvent> events = new ArrayList<>();
    private final List<CompletableFuture<Long>> answers = new ArrayList<>();

    @Override
    public CompletableFuture<Long> append(LogEvent event) {
      events.add(event);
      answers.add(new CompletableFuture<>());
      return answers.getLast();
    }

    @Override
    public CompletableFuture<Long> append(int partition, LogEvent event) {
      throw new UnsupportedOperationException();
    }

    void answer() {
      for (int i = 0; i < answers.size(); i++) {
        answers.get(i).complete((long) i);
      }
    }

    long count(Class<? extends LogEvent> type) {
      return events.stream().filter(type::isInstance).count();
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public long failures() {
      return 0;
    }

    @Override
    public void close(Duration timeout) {}
  }

  private void apply(KvEvent... events) {
    byte[] payload =
        codec.encode(new KvEventBatch(0, Arrays.asList(events), null), KvEvent.Style.ARRAY);
    log.apply(new Numbered(next++, payload), 7);
  }

  private List<Integer> writtenSizes() {
    return slow.events.stream()
        .filter(BatchedKVOperation.class::isInstance)
        .map(event -> ((BatchedKVOperation) event).operations().size())
        .toList();
  }

  @Test
  void floodOfClears_beginsButOnceAtATime() {
    log.begin(false);
    for (int i = 0; i < 1000; i++) {
      apply(stored(i), new AllBlocksCleared(), new AllBlocksCleared());
    }
    assertThat(slow.count(WorkerUp.class)).isEqualTo(1);
    apply(stored(5));
    slow.answer();
    log.poll();

    assertThat(writtenSizes()).containsExactly(1);
  }

  @Test
  void floodOfEmptyBatches_fillsTheRoomToo() {
    log.begin(false);
    int taken = 0;
    while (log.hasRoom() && taken < 10_000) {
      apply();
      taken++;
    }
    assertThat(taken).isLessThan(1000);
    slow.answer();
    log.poll();

    assertThat(log.hasRoom()).isTrue();
    assertThat(log.position()).isEqualTo(new EnginePosition(taken - 1, 7, 0));
  }

  @Test
  void batchOfManyBlocksAtManyLocations_isFewRecords() {
    log.begin(false);
    slow.answer();
    List<KvEvent> events = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      events.add(stored("M" + i % 40, FakeEngine.BLOCK_TOKENS, null, null, i));
    }
    events.add(stored(LongStream.range(0, 2500).toArray()));
    apply(events.toArray(KvEvent[]::new));
    log.poll();

    // Fifteen locations beside the GPU, of 75 blocks each.
    assertThat(writtenSizes())
        .startsWith(Collections.nCopies(15, 75).toArray(Integer[]::new))
        .endsWith(1000, 1000, 500);
    assertThat(counts.ignoreds(Ignored.MEDIUM)).isEqualTo(3000 - 15 * 75);
  }

  @Test
  void longBatch_isCutIntoRecords_inOrder() {
    log.begin(false);
    slow.answer();
    apply(stored(LongStream.range(0, 2500).toArray()), removed(0, 1));
    log.poll();

    assertThat(writtenSizes()).containsExactly(1000, 1000, 502);
  }

  @Test
  void clearWithinABatch_voidsWhatIsBeforeIt_andAllHoles() {
    log.begin(true);
    log.missed();
    apply(stored(1), new AllBlocksCleared(), stored(2, 3));
    slow.answer();
    log.poll();
    slow.answer();
    log.poll();

    assertThat(writtenSizes()).containsExactly(2);
    assertThat(log.position()).isEqualTo(new EnginePosition(0, 7, 0));
    assertThat(((WorkerUp) slow.events.get(1)).resumed()).isNull();
  }

  @Test
  void garbage_isAHole_inThePositionToo() {
    log.begin(false);
    slow.answer();
    apply(stored(1));
    Collections.nCopies(3, new byte[] {(byte) 0x93})
        .forEach(bytes -> log.apply(new Numbered(next++, bytes), 8));
    slow.answer();
    log.poll();

    assertThat(log.position()).isEqualTo(new EnginePosition(3, 8, 3));
    assertThat(counts.garbages()).isEqualTo(3);
  }
}
