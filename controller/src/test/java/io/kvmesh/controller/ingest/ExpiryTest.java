package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.controller.log.EventLogWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class ExpiryTest {

  private final TestView view = new TestView();
  private final RecordingLog log = new RecordingLog();
  private final Expiry expiry = new Expiry(log, this::ask, view.counters);
  private final ForeignLog foreign = new ForeignLog("f", 0);
  private final List<CompletableFuture<Boolean>> questions = new ArrayList<>();
  private final TestAgent agent = new TestAgent("a");

  /** Keeps what is appended; a test decides what becomes of it. */
  private static final class RecordingLog implements EventLogWriter {

    private final List<LogEvent> events = new ArrayList<>();
    private final List<CompletableFuture<Long>> offsets = new ArrayList<>();

    @Override
    public CompletableFuture<Long> append(LogEvent event) {
      events.add(event);
      offsets.add(new CompletableFuture<>());
      return offsets.getLast();
    }

    @Override
    public CompletableFuture<Long> append(int partition, LogEvent event) {
      return append(event);
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

  @Test
  void aSilenceIsWrittenOffOnce() {
    view.start(agent);
    long heartbeat = view.append(agent.heartbeat());
    view.ticks(13);

    check();
    check();
    log.offsets.getFirst().complete(77L);
    check();

    assertThat(log.events)
        .containsExactly(new WorkerDown("a", 0, agent.epoch(), DownReason.EXPIRED, heartbeat));
    assertThat(view.counters.counts().expired()).isEqualTo(1);
  }

  @Test
  void whatTheLogDidNotTake_isTriedAgain() {
    view.start(agent);
    view.ticks(13);
    check();
    log.offsets.getFirst().completeExceptionally(new IllegalStateException("away"));

    check();

    assertThat(log.events).hasSize(2);
    assertThat(view.counters.counts().expired()).isZero();
  }

  @Test
  void aSecondSilenceOfTheSameLife_isWrittenOffToo() {
    view.start(agent);
    view.append(agent.heartbeat());
    view.ticks(13);
    check();
    view.append(log.events.getFirst());
    check();
    view.append(agent.heartbeat());
    check();
    view.ticks(13);
    check();

    assertThat(log.events).hasSize(2);
  }

  @Test
  void manyGoSilentAtTwoTimes_allAreWrittenOff() {
    List<TestAgent> agents = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      agents.add(new TestAgent("agent-" + i));
      view.start(agents.get(i));
    }
    for (int round = 0; round < 13; round++) {
      view.ticks(1);
      agents.subList(10, 20).forEach(a -> view.append(a.heartbeat()));
      check();
    }
    assertThat(log.events).hasSize(10);
    log.events.forEach(view::append);

    for (int round = 0; round < 14; round++) {
      view.ticks(1);
      agents.subList(15, 20).forEach(a -> view.append(a.heartbeat()));
      check();
    }
    assertThat(log.events).hasSize(15);
  }

  private CompletableFuture<Boolean> ask(WorkerId worker, Announcement announcement) {
    questions.add(new CompletableFuture<>());
    return questions.getLast();
  }

  @Test
  void foreignWorkerWithoutHeartbeats_isAskedBeforeItIsWrittenOff() {
    foreign.begin(view);
    view.append(foreign.admit(1));
    view.ticks(6);
    check();
    assertThat(questions).isEmpty();

    view.ticks(1);
    check();
    check();
    assertThat(questions).hasSize(1);
    questions.getFirst().complete(true);
    check();
    view.ticks(6);
    check();
    assertThat(questions).hasSize(1);
    view.ticks(1);
    check();
    assertThat(questions).hasSize(2);
    assertThat(log.events).isEmpty();
  }

  @Test
  void foreignWorkerThatNeverAnswers_isWrittenOffAfterThreeQuestions() {
    foreign.begin(view);
    view.ticks(7);
    for (int i = 0; i < 3; i++) {
      check();
      assertThat(questions).hasSize(i + 1);
      questions.getLast().complete(false);
      check();
      view.ticks(3);
    }
    check();

    assertThat(log.events)
        .containsExactly(new WorkerDown("f", 0, foreign.epoch(), DownReason.EXPIRED, -1));
    log.offsets.getFirst().complete(5L);
    assertThat(view.counters.counts().expired()).isEqualTo(1);
  }

  @Test
  void foreignWorkerThatSaysSomethingMeanwhile_isAskedNoMore() {
    foreign.begin(view);
    view.ticks(7);
    check();
    view.append(foreign.admit(1));
    questions.getLast().complete(false);
    view.ticks(3);
    check();

    assertThat(questions).hasSize(1);
    assertThat(log.events).isEmpty();
  }

  private void check() {
    expiry.check(view.streams, TestView.PARTITION);
  }
}
