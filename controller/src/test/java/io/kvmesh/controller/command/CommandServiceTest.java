package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CommandServiceTest {

  private final WorkerRegistry registry = new WorkerRegistry();
  private final List<CompletableFuture<CommandOutcome>> sent = new ArrayList<>();
  private final List<ControlRequest> requests = new ArrayList<>();
  private final CommandService service =
      new CommandService(
          registry,
          (ip, port, request, timeout) -> {
            requests.add(request);
            CompletableFuture<CommandOutcome> outcome = new CompletableFuture<>();
            sent.add(outcome);
            return outcome;
          },
          Duration.ofSeconds(1));

  @Test
  void unknownInstance_isEmpty() {
    assertThat(service.clear("A", CPU)).isEmpty();
  }

  @Test
  void allRanks_areAskedAtOnceAndAnsweredByRank() {
    for (int rank = 4; rank >= 0; rank--) {
      registry.put(live(new WorkerId("A", rank), 10 - rank, agent("url")));
    }
    registry.put(live(new WorkerId("A", 5), 20, null));

    CompletableFuture<ClearReceipt> receipt = service.clear("A", CPU).orElseThrow();

    assertThat(requests)
        .hasSize(5)
        .allMatch(request -> ((ClearWorkerMsg) request).location().equals(CPU));
    sent.get(0).complete(new CommandOutcome.Replied(new ClearWorkerRetMsg(512, 9L, 77L, 2L)));
    sent.get(1).complete(new CommandOutcome.Replied(new ErrorMsg("no")));
    sent.get(2).complete(new CommandOutcome.TimedOut());
    sent.get(3).complete(new CommandOutcome.Replied(new HealthWorkerRetMsg(0)));
    assertThat(receipt).isNotDone();
    sent.get(4).complete(new CommandOutcome.NotSent("unknown host"));

    ClearReceipt done = receipt.join();
    assertThat(done.workers().getFirst())
        .isEqualTo(
            new WorkerReceipt(
                new WorkerId("A", 0), WorkerReceipt.Status.DONE, 512, 2L, 9L, 77L, null));
    assertThat(done.workers())
        .extracting(WorkerReceipt::status)
        .containsExactly(
            WorkerReceipt.Status.DONE,
            WorkerReceipt.Status.REFUSED,
            WorkerReceipt.Status.TIMED_OUT,
            WorkerReceipt.Status.FAILED,
            WorkerReceipt.Status.FAILED,
            WorkerReceipt.Status.FAILED);
    assertThat(done.complete()).isFalse();
    assertThat(done.done()).isEqualTo(1);
    assertThat(done.tokens()).isEqualTo(512);
  }
}
