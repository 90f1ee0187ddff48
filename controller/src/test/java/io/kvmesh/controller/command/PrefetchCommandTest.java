package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What of a prefetch is sent to whom, its progress, and how it is cancelled. */
class PrefetchCommandTest {

  private final CommandFixture fixture = new CommandFixture(Duration.ofSeconds(99), 3);

  private static Command.Prefetch prefetch(@Nullable Integer rank, Command.Chunks chunks) {
    return new Command.Prefetch("A", CPU, rank, chunks, 0);
  }

  private static PrefetchWorkerRetMsg prefetched(PrefetchState state, int brought, String reason) {
    return new PrefetchWorkerRetMsg(
        16L * brought, 1, 2, Map.of(PrefetchOutcome.BROUGHT, brought), state, reason);
  }

  private static List<String> keys(String... keys) {
    return List.of(keys);
  }

  @Test
  void prefetch_asksEachRankForItsOwnChunks_orOneForThoseNamed() {
    fixture.agents("A", 0, 1);
    Command.Chunks named = new Command.Chunks(null, keys("m@2@0@a@half@t%1", "m@2@0@-b@half@t%1"));

    String id = fixture.accepted(prefetch(null, named)).id();
    fixture.accepted(prefetch(1, named));
    fixture.accepted(prefetch(null, CommandFixture.KEYS));

    PrefetchWorkerMsg first = fixture.request(0, PrefetchWorkerMsg.class);
    assertThat(first.workerEventId()).isEqualTo("Worker0" + id);
    assertThat(first.keys()).isEqualTo(named.keys());
    assertThat(first.deadlineMillis()).as("less than the 99 s").isEqualTo(86_625);
    assertThat(fixture.request(1, PrefetchWorkerMsg.class).keys())
        .isEqualTo(keys("m@2@1@a@half@t%1", "m@2@1@-b@half@t%1"));
    assertThat(fixture.request(2, PrefetchWorkerMsg.class).keys()).isEqualTo(named.keys());
    assertThat(fixture.request(4, PrefetchWorkerMsg.class).keys())
        .as("of one rank")
        .isEqualTo(CommandFixture.KEYS.keys());
    assertThat(fixture.sent).hasSize(5);
  }

  @Test
  void prefetchToARankThatIsNotThere_isToldAndAsksNobody() {
    fixture.agents("A", 0);
    assertThat(fixture.service.submit(prefetch(3, CommandFixture.KEYS), null))
        .isEqualTo(new Submission.UnknownRank("A", 3));
    assertThat(fixture.sent).isEmpty();
  }

  @Test
  void prefetch_isRefusedForALmcacheWorker() {
    fixture.registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    CommandView end = fixture.accepted(prefetch(null, CommandFixture.TOKENS)).end().join();
    assertThat(end.workers().getFirst().outcome())
        .isEqualTo(new WorkerOutcome.Refused("an LMCache worker can't prefetch", null));
  }

  @Test
  void progressOfAPrefetch_isAskedOfThoseThatAreAtIt() {
    fixture.agents("A", 0, 1);
    Submission.Accepted command = fixture.accepted(prefetch(null, CommandFixture.KEYS));
    fixture.sent.get(0).reply(prefetched(PrefetchState.DONE, 3, ""));

    CompletableFuture<Optional<CommandView>> asked = fixture.service.progress(command.id());
    assertThat(fixture.request(2, CheckPrefetchWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(fixture.sent).hasSize(3);
    fixture.sent.get(2).reply(prefetched(PrefetchState.RUNNING, 2, ""));

    CommandView view = asked.join().orElseThrow();
    assertThat(view.state()).isEqualTo(CommandView.State.RUNNING);
    assertThat(view.tokens()).isEqualTo(80);
    assertThat(view.workers().get(1).told()).isEqualTo(prefetched(PrefetchState.RUNNING, 2, ""));

    var _ = fixture.service.progress(command.id());
    fixture.sent.get(3).outcome().complete(new CommandOutcome.TimedOut());
    fixture.sent.get(1).reply(prefetched(PrefetchState.FAILED, 2, "unavailable"));
    CommandView end = command.end().join();
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.workers().get(1).outcome())
        .isEqualTo(
            new WorkerOutcome.Stopped(
                "failed: unavailable", 32, prefetched(PrefetchState.FAILED, 2, "unavailable")));
    assertThat(fixture.service.progress(command.id()).join()).contains(end);
    assertThat(fixture.sent).as("nobody is asked any more").hasSize(4);
  }

  @Test
  void cancelOfAPrefetch_isToldToItsWorkers_andEndsWhenTheyHave() {
    fixture.agents("A", 0, 1);
    Submission.Accepted command = fixture.accepted(prefetch(null, CommandFixture.KEYS));
    fixture.sent.get(0).reply(prefetched(PrefetchState.DONE, 3, ""));

    CompletableFuture<CommandView> cancelled = fixture.service.cancel(command.id()).orElseThrow();

    assertThat(fixture.request(2, CancelPrefetchWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(fixture.sent).hasSize(3);
    fixture.sent.get(2).reply(prefetched(PrefetchState.RUNNING, 1, ""));
    assertThat(cancelled).isNotDone();
    fixture.sent.get(1).reply(prefetched(PrefetchState.CANCELLED, 1, ""));
    assertThat(cancelled.join()).isEqualTo(command.end().join());
    assertThat(cancelled.join().workers().get(1).outcome())
        .isEqualTo(
            new WorkerOutcome.Stopped("cancelled", 16, prefetched(PrefetchState.CANCELLED, 1, "")));
    assertThat(fixture.service.cancel(command.id())).as("is over").isEmpty();
    assertThat(fixture.service.cancel(fixture.accepted(CommandFixture.CLEAR).id()))
        .as("no prefetch")
        .isEmpty();
  }
}
