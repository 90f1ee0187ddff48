package io.kvmesh.controller.command;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.live;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is sent to whom, and what the answers mean; the workers are the test. */
class CommandServiceTest {

  private static final Command CLEAR = new Command.Clear("A", CPU);
  private static final Command.Chunks TOKENS = new Command.Chunks(List.of(1L, 2L, 3L), null);
  private static final Command.Chunks KEYS = new Command.Chunks(null, List.of("m@1@0@1@half"));

  private record Sent(ControlRequest request, CompletableFuture<CommandOutcome> outcome) {

    void reply(ControlReply reply) {
      outcome.complete(new CommandOutcome.Replied(reply));
    }
  }

  private final WorkerRegistry registry = new WorkerRegistry();
  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private final CommandCounts counts = new CommandCounts();
  private final Trail trail = new Trail(() -> Instant.ofEpochMilli(5));
  private Instant now = Instant.ofEpochMilli(1000);
  private final CommandService service =
      service(
          new CommandSettings(
              Duration.ofSeconds(9), Duration.ofSeconds(99), 3, 4, Duration.ofMinutes(1)));

  private CommandService service(CommandSettings settings) {
    return new CommandService(
        registry,
        (ip, port, request, timeout) -> {
          Sent it = new Sent(request, new CompletableFuture<>());
          sent.add(it);
          return it.outcome;
        },
        settings,
        counts,
        trail,
        () -> now);
  }

  private void agents(String instance, int... ranks) {
    for (int rank : ranks) {
      registry.put(live(new WorkerId(instance, rank), 1, agent("url-" + instance + rank)));
    }
  }

  private Submission.Accepted accepted(Command command) {
    return (Submission.Accepted) service.submit(command, null);
  }

  private <T extends ControlRequest> T request(int index, Class<T> type) {
    return type.cast(sent.get(index).request);
  }

  @Test
  void unknownInstance_isToldAndAsksNobody() {
    assertThat(service.submit(CLEAR, null)).isEqualTo(new Submission.UnknownInstance("A", false));
    assertThat(sent).isEmpty();
    assertThat(counts.refusals(CommandCounts.Refusal.UNKNOWN_INSTANCE)).isEqualTo(1);
  }

  @Test
  void beginEndAndRefusal_areOnTheTrail() {
    service.submit(CLEAR, null);
    agents("A", 0);
    service.submit(CLEAR, "mine");
    sent.getFirst().reply(new ClearWorkerRetMsg(5, 1L, 1L, 1L));
    service.submit(CLEAR, "mine");

    assertThat(trail.read(null, EnumSet.allOf(Kind.class), event -> true, 10).events())
        .extracting(TrailEvent::instanceId, TrailEvent::text)
        .containsExactly(
            tuple("A", "Clear: no worker of A"),
            tuple("A", "Clear began: mine"),
            tuple("A", "Clear is over: mine, DONE"),
            tuple("A", "Clear: there is one of the id mine"));
  }

  @Test
  void allRanks_areAskedAtOnceInOrderAndAnsweredByRank() {
    agents("A", 10, 4, 3, 2, 1, 0);
    registry.put(live(new WorkerId("A", 11), 20, null));

    Submission.Accepted command = accepted(CLEAR);

    assertThat(command.id()).startsWith("Clear");
    assertThat(sent)
        .extracting(it -> ((ClearWorkerMsg) it.request).workerEventId())
        .containsExactly(
            IntStream.of(0, 1, 2, 3, 4, 10)
                .mapToObj(rank -> "Worker" + rank + command.id())
                .toArray(String[]::new));
    sent.get(0).reply(new ClearWorkerRetMsg(512, 9L, 77L, 2L));
    sent.get(1).reply(new ErrorMsg("no", "busy"));
    sent.get(2).outcome.complete(new CommandOutcome.TimedOut());
    sent.get(3).reply(new HealthWorkerRetMsg(0));
    sent.get(4).outcome.complete(new CommandOutcome.Undecodable("c1"));
    assertThat(command.end()).isNotDone();
    assertThat(service.find(command.id()).orElseThrow().state())
        .isEqualTo(CommandView.State.RUNNING);
    assertThat(service.find(command.id()).orElseThrow().workers().get(1).outcome())
        .isEqualTo(new WorkerOutcome.Refused("no", "busy"));
    sent.get(5).outcome.complete(new CommandOutcome.Unreachable("gone"));

    CommandView end = command.end().join();
    assertThat(end.workers())
        .extracting(result -> Objects.requireNonNull(result.outcome()).kind())
        .containsExactly(
            WorkerOutcome.Kind.DONE,
            WorkerOutcome.Kind.REFUSED,
            WorkerOutcome.Kind.TIMED_OUT,
            WorkerOutcome.Kind.UNEXPECTED,
            WorkerOutcome.Kind.UNDECODABLE,
            WorkerOutcome.Kind.UNREACHABLE,
            WorkerOutcome.Kind.UNREGISTERED);
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.tokens()).isEqualTo(512);
    assertThat(counts.outcomes(WorkerOutcome.Kind.UNREGISTERED)).isEqualTo(1);
  }

  @Test
  void stateOfTheEnd_isDoneOrFailed() {
    agents("A", 0, 1);
    Submission.Accepted good = accepted(new Command.Health("A"));
    sent.forEach(it -> it.reply(new HealthWorkerRetMsg(0)));
    assertThat(good.end().join().state()).isEqualTo(CommandView.State.DONE);
    assertThat(good.id()).startsWith("health");

    sent.clear();
    Submission.Accepted bad = accepted(CLEAR);
    sent.forEach(it -> it.outcome.complete(new CommandOutcome.TimedOut()));
    assertThat(bad.end().join().state()).isEqualTo(CommandView.State.FAILED);
  }

  @Test
  void messages_areThoseOfLmcache() {
    agents("A", 3);
    String pin = accepted(new Command.Pin("A", CPU, TOKENS)).id();
    accepted(new Command.Unpin("A", CPU, Command.Chunks.ALL, pin));
    accepted(new Command.Compress("A", "zstd", CPU, TOKENS));
    assertThat(sent.get(0).request)
        .isEqualTo(new PinWorkerMsg("Worker3" + pin, CPU, List.of(1L, 2L, 3L)));
    assertThat(sent.get(1).request)
        .isEqualTo(new PinWorkerMsg("Worker3" + pin, CPU, List.of(), null, true));
    CompressWorkerMsg compress = request(2, CompressWorkerMsg.class);
    assertThat(compress.workerEventId()).matches("CompressWorker3[0-9a-f-]{36}");
    assertThat(compress.tokens()).containsExactly(1L, 2L, 3L);
    sent.forEach(it -> it.reply(new PinWorkerRetMsg(1)));

    accepted(new Command.Decompress("A", "zstd", CPU, Command.Chunks.ALL));
    DecompressWorkerMsg decompress = request(3, DecompressWorkerMsg.class);
    assertThat(decompress.workerEventId()).startsWith("DecompressWorker3");
    assertThat(decompress.tokens()).isNull();
    accepted(new Command.Health("A"));
    assertThat(request(4, HealthWorkerMsg.class).workerEventId()).startsWith("HealthWorker3");
    accepted(new Command.Compress("A", "zstd", CPU, KEYS));
    assertThat(request(5, CompressWorkerMsg.class).keys()).isEqualTo(KEYS.keys());
  }

  @Test
  void move_pairsRanksInOrderAndNamesTheTargetsAddress() {
    agents("A", 0, 2);
    agents("B", 9, 1);

    Submission.Accepted command =
        accepted(new Command.Move("A", CPU, "B", "LocalDiskBackend", KEYS, true));

    MoveWorkerMsg first = request(0, MoveWorkerMsg.class);
    assertThat(first.workerEventId()).startsWith("MoveWorker0");
    assertThat(first.oldPosition()).isEqualTo(CPU);
    assertThat(first.newPosition()).isEqualTo(new WorkerPosition("url-B1", "LocalDiskBackend"));
    assertThat(first.copy()).isTrue();
    assertThat(first.keys()).isEqualTo(KEYS.keys());
    assertThat(request(1, MoveWorkerMsg.class).newPosition().peerInitUrl()).isEqualTo("url-B9");
    sent.get(0).reply(new MoveWorkerRetMsg(256));
    sent.get(1)
        .reply(
            new MoveWorkerRetMsg(
                128,
                1L,
                2L,
                Map.of(MoveOutcome.UNTRIED, 500),
                Collections.nCopies(500, "key"),
                Collections.nCopies(500, MoveOutcome.UNTRIED),
                "the target is away"));

    CommandView end = command.end().join();
    assertThat(end.targetInstanceId()).isEqualTo("B");
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.tokens()).isEqualTo(384);
    WorkerOutcome.Stopped stopped =
        (WorkerOutcome.Stopped) Objects.requireNonNull(end.workers().get(1).outcome());
    assertThat(stopped.reason()).isEqualTo("the target is away");
    assertThat(((MoveWorkerRetMsg) stopped.reply()).left()).hasSize(100);
  }

  @Test
  void impossibleMoves_areToldApart() {
    agents("A", 0);
    agents("B", 0, 1);
    registry.put(live(new WorkerId("N", 0), 1, agent(null)));
    registry.put(live(new WorkerId("F", 0), 1, foreign("url-F")));

    assertThat(service.submit(move("A", "nobody"), null))
        .isEqualTo(new Submission.UnknownInstance("nobody", true));
    assertThat(service.submit(move("nobody", "A"), null))
        .isEqualTo(new Submission.UnknownInstance("nobody", false));
    assertThat(service.submit(move("A", "A"), null))
        .isEqualTo(new Submission.Impossible("the target is the source itself, A"));
    assertThat(service.submit(move("A", "B"), null))
        .isInstanceOfSatisfying(
            Submission.Impossible.class,
            it -> assertThat(it.reason()).contains("A has 1").contains("B has 2"));
    assertThat(error(accepted(move("A", "N")))).contains("N/0 has no peer address");
    assertThat(error(accepted(move("A", "F")))).contains("can't exchange chunks");
    assertThat(sent).isEmpty();
  }

  private static Command move(String from, String to) {
    return new Command.Move(from, CPU, to, CPU, TOKENS, false);
  }

  private static String error(Submission.Accepted command) {
    return String.valueOf(
        Objects.requireNonNull(command.end().join().workers().getFirst().outcome()).error());
  }

  @Test
  void foreignWorker_getsOnlyWhatItUnderstands() {
    registry.put(live(new WorkerId("F", 0), 1, foreign("url")));
    registry.put(live(new WorkerId("G", 0), 1, foreign("url-G")));

    assertThat(error(accepted(new Command.Pin("F", CPU, KEYS)))).contains("by tokens");
    assertThat(error(accepted(new Command.Move("F", CPU, "G", CPU, KEYS, true))))
        .contains("by tokens");
    assertThat(error(accepted(new Command.Unpin("F", CPU, Command.Chunks.ALL, "x"))))
        .contains("can't unpin");
    assertThat(sent).isEmpty();
    accepted(new Command.Move("F", CPU, "G", CPU, Command.Chunks.ALL, false));
    assertThat(request(0, MoveWorkerMsg.class).tokens()).isEmpty();
  }

  @Test
  void foreignWorker_isAskedOneThingAtATime() {
    registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    Submission.Accepted first = accepted(CLEAR);
    Submission.Accepted second = accepted(new Command.Health("A"));

    assertThat(sent).hasSize(1);
    sent.getFirst().reply(new ClearWorkerRetMsg(1));
    assertThat(first.end()).isDone();
    assertThat(sent).hasSize(2);
    sent.getLast().reply(new HealthWorkerRetMsg(0));
    assertThat(second.end().join().state()).isEqualTo(CommandView.State.DONE);
  }

  @Test
  void agent_hasOneMoveAtATimeAndAnswersOtherThingsMeanwhile() {
    agents("A", 0);
    agents("B", 0);
    Submission.Accepted first = accepted(move("A", "B"));
    Submission.Accepted second = accepted(move("A", "B"));
    Submission.Accepted health = accepted(new Command.Health("A"));

    assertThat(sent).hasSize(2);
    sent.get(1).reply(new HealthWorkerRetMsg(-1));
    assertThat(health.end()).isDone();
    sent.get(0).reply(new MoveWorkerRetMsg(1));
    sent.get(2).reply(new MoveWorkerRetMsg(2));
    assertThat(first.end().join().tokens()).isEqualTo(1);
    assertThat(second.end().join().tokens()).isEqualTo(2);
  }

  @Test
  void turnThatDoesNotCome_isNotSent() {
    registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    CommandService hasty =
        service(
            new CommandSettings(
                Duration.ofMillis(50), Duration.ofMillis(50), 3, 3, Duration.ofMinutes(1)));
    var first = (Submission.Accepted) hasty.submit(CLEAR, null);
    var second = (Submission.Accepted) hasty.submit(CLEAR, null);

    assertThat(error(second)).contains("its turn did not come within 50 ms");
    assertThat(sent).hasSize(1);
    sent.getFirst().reply(new ClearWorkerRetMsg(3));
    assertThat(first.end().join().tokens()).isEqualTo(3);
    var third = (Submission.Accepted) hasty.submit(CLEAR, null);
    sent.getLast().reply(new ClearWorkerRetMsg(4));
    assertThat(third.end().join().tokens()).isEqualTo(4);
  }

  @Test
  void id_isTakenOnceAndFindsTheCommandUntilItIsForgotten() {
    agents("A", 0);
    Submission.Accepted mine = (Submission.Accepted) service.submit(CLEAR, "mine");
    assertThat(mine.id()).isEqualTo("mine");
    assertThat(service.submit(CLEAR, "mine")).isEqualTo(new Submission.Duplicate("mine"));
    sent.getLast().reply(new ClearWorkerRetMsg(1));
    assertThat(service.submit(CLEAR, "mine")).isEqualTo(new Submission.Duplicate("mine"));
    assertThat(service.find("mine").orElseThrow().finishedMillis()).isEqualTo(1000);

    now = now.plus(Duration.ofMinutes(1));
    assertThat(service.find("mine")).isPresent();
    now = now.plusMillis(1);
    assertThat(service.find("mine")).isEmpty();
    assertThat(service.find("never")).isEmpty();
    assertThat(service.submit(CLEAR, "mine")).isInstanceOf(Submission.Accepted.class);
  }

  @Test
  void commandsUnderWayAndKept_areBounded() {
    agents("A", 0);
    for (int i = 0; i < 3; i++) {
      assertThat(service.submit(CLEAR, "r" + i)).isInstanceOf(Submission.Accepted.class);
    }
    assertThat(service.submit(CLEAR, "more")).isEqualTo(new Submission.Overloaded(3));
    assertThat(service.running()).isEqualTo(3);
    assertThat(counts.refusals(CommandCounts.Refusal.OVERLOADED)).isEqualTo(1);
    sent.forEach(it -> it.reply(new ClearWorkerRetMsg(1)));
    for (int i = 0; i < 3; i++) {
      now = now.plusMillis(1);
      service.submit(CLEAR, "s" + i);
      sent.getLast().reply(new ClearWorkerRetMsg(1));
    }

    assertThat(service.list()).extracting(CommandView::id).containsExactly("s2", "s1", "s0", "r2");
  }

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
    agents("A", 0, 1);
    Command.Chunks named = new Command.Chunks(null, keys("m@2@0@a@half@t%1", "m@2@0@-b@half@t%1"));

    String id = accepted(prefetch(null, named)).id();
    accepted(prefetch(1, named));
    accepted(prefetch(null, KEYS));

    PrefetchWorkerMsg first = request(0, PrefetchWorkerMsg.class);
    assertThat(first.workerEventId()).isEqualTo("Worker0" + id);
    assertThat(first.keys()).isEqualTo(named.keys());
    assertThat(first.deadlineMillis()).as("less than the 99 s").isEqualTo(86_625);
    assertThat(request(1, PrefetchWorkerMsg.class).keys())
        .isEqualTo(keys("m@2@1@a@half@t%1", "m@2@1@-b@half@t%1"));
    assertThat(request(2, PrefetchWorkerMsg.class).keys()).isEqualTo(named.keys());
    assertThat(request(4, PrefetchWorkerMsg.class).keys()).as("of one rank").isEqualTo(KEYS.keys());
    assertThat(sent).hasSize(5);
  }

  @Test
  void prefetchToARankThatIsNotThere_isToldAndAsksNobody() {
    agents("A", 0);
    assertThat(service.submit(prefetch(3, KEYS), null))
        .isEqualTo(new Submission.UnknownRank("A", 3));
    assertThat(sent).isEmpty();
  }

  @Test
  void prefetch_isRefusedForALmcacheWorker() {
    registry.put(live(new WorkerId("A", 0), 1, foreign("url")));
    CommandView end = accepted(prefetch(null, TOKENS)).end().join();
    assertThat(end.workers().getFirst().outcome())
        .isEqualTo(new WorkerOutcome.Refused("an LMCache worker can't prefetch", null));
  }

  @Test
  void progressOfAPrefetch_isAskedOfThoseThatAreAtIt() {
    agents("A", 0, 1);
    Submission.Accepted command = accepted(prefetch(null, KEYS));
    sent.get(0).reply(prefetched(PrefetchState.DONE, 3, ""));

    CompletableFuture<Optional<CommandView>> asked = service.progress(command.id());
    assertThat(request(2, CheckPrefetchWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(sent).hasSize(3);
    sent.get(2).reply(prefetched(PrefetchState.RUNNING, 2, ""));

    CommandView view = asked.join().orElseThrow();
    assertThat(view.state()).isEqualTo(CommandView.State.RUNNING);
    assertThat(view.tokens()).isEqualTo(80);
    assertThat(view.workers().get(1).told()).isEqualTo(prefetched(PrefetchState.RUNNING, 2, ""));

    var _ = service.progress(command.id());
    sent.get(3).outcome.complete(new CommandOutcome.TimedOut());
    sent.get(1).reply(prefetched(PrefetchState.FAILED, 2, "unavailable"));
    CommandView end = command.end().join();
    assertThat(end.state()).isEqualTo(CommandView.State.PARTIAL);
    assertThat(end.workers().get(1).outcome())
        .isEqualTo(
            new WorkerOutcome.Stopped(
                "failed: unavailable", 32, prefetched(PrefetchState.FAILED, 2, "unavailable")));
    assertThat(service.progress(command.id()).join()).contains(end);
    assertThat(sent).as("nobody is asked any more").hasSize(4);
  }

  @Test
  void cancelOfAPrefetch_isToldToItsWorkers_andEndsWhenTheyHave() {
    agents("A", 0, 1);
    Submission.Accepted command = accepted(prefetch(null, KEYS));
    sent.get(0).reply(prefetched(PrefetchState.DONE, 3, ""));

    CompletableFuture<CommandView> cancelled = service.cancel(command.id()).orElseThrow();

    assertThat(request(2, CancelPrefetchWorkerMsg.class).workerEventId())
        .isEqualTo("Worker1" + command.id());
    assertThat(sent).hasSize(3);
    sent.get(2).reply(prefetched(PrefetchState.RUNNING, 1, ""));
    assertThat(cancelled).isNotDone();
    sent.get(1).reply(prefetched(PrefetchState.CANCELLED, 1, ""));
    assertThat(cancelled.join()).isEqualTo(command.end().join());
    assertThat(cancelled.join().workers().get(1).outcome())
        .isEqualTo(
            new WorkerOutcome.Stopped("cancelled", 16, prefetched(PrefetchState.CANCELLED, 1, "")));
    assertThat(service.cancel(command.id())).as("is over").isEmpty();
    assertThat(service.cancel(accepted(CLEAR).id())).as("no prefetch").isEmpty();
  }
}
