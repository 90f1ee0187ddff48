package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.WorkersOnly;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Streams of workers above a view that keeps no chunks. */
class UncountedViewTest {

  private final WorkersOnly index = new WorkersOnly();
  private final WorkerStreams streams =
      new WorkerStreams(
          new WorkerStreams.Liveness(
              Duration.ofSeconds(15),
              Duration.ofSeconds(60),
              Duration.ofSeconds(10),
              Duration.ofSeconds(300)),
          new IngestCounters());
  private final TestAgent agent = new TestAgent("agent");
  private long offset = 1_000;

  @Test
  void worker_isTakenAtItsWord() {
    agent.acknowledged(append(agent.up()));
    append(agent.admit(1, 2, 3));
    append(agent.heartbeat());

    assertThat(view().state()).isEqualTo(WorkerState.LIVE);
    assertThat(view().residentCount()).isEqualTo(3);
    assertThat(view().appliedSequence()).isEqualTo(3);
  }

  @Test
  void gap_makesItSuspect_untilAWholeSnapshot() {
    agent.acknowledged(append(agent.up()));
    append(agent.admit(1));
    var lost = agent.admit(2);
    assertThat(lost).isNotNull();
    append(agent.admit(3));
    append(agent.heartbeat());
    assertThat(view().state()).isEqualTo(WorkerState.SUSPECT);

    agent.snapshot().forEach(this::append);

    assertThat(view().state()).isEqualTo(WorkerState.LIVE);
  }

  private long append(LogEvent event) {
    offset++;
    Decision decision = streams.decide(new LogRecord(3, offset, 1_700_000_000_000L, event));
    if (decision != null) {
      ChangeOutcome outcome = index.apply(decision.change());
      assertThat(outcome).isInstanceOf(ChangeOutcome.Applied.class);
      decision.stream().settle(decision, (ChangeOutcome.Applied) outcome);
    }
    return offset;
  }

  private WorkerView view() {
    WorkerStream stream = streams.stream(agent.id());
    assertThat(stream).isNotNull();
    return stream.view(false);
  }
}
