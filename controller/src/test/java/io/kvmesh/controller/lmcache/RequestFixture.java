package io.kvmesh.controller.lmcache;

import static io.kvmesh.controller.fixture.Workers.view;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.PrefixLookup;
import io.kvmesh.controller.lookup.ReadyLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What answers requests, over a log, a view and an index that the test has in its hands. */
final class RequestFixture {

  static final WorkerId A = new WorkerId("A", 0);

  final FakeLog log = new FakeLog();
  final WorkerRegistry registry = new WorkerRegistry();
  final NaiveIndex index = new NaiveIndex();
  final FakeView view = new FakeView();
  final FrontCounts counts = new FrontCounts();
  final RecordedSpans spans = new RecordedSpans();
  final ForeignWorkers workers = new ForeignWorkers(log, registry, counts);
  final Conflicts conflicts = new Conflicts(registry, view, Duration.ofSeconds(5), counts);
  boolean probed;
  long nanos;
  final Clashes clashes =
      new Clashes(
          workers,
          registry,
          view,
          (worker, announcement) -> CompletableFuture.completedFuture(probed),
          Duration.ofSeconds(10),
          counts,
          () -> nanos);
  final FullSyncs fullSyncs = new FullSyncs(workers, registry, view, PushHandlerTest.SETTINGS);
  Barrier.Answer barrierAnswer = new Barrier.Answer(Barrier.Outcome.APPLIED, 5, 9);
  Duration waited = Duration.ZERO;
  final RequestHandler handler =
      new RequestHandler(
          new ReadyLookup(view::ready, new PrefixLookup(index, registry)),
          new DrainLookup(view::ready, index, registry),
          this::await,
          new Registration(
              workers, registry, conflicts, clashes, ip -> Map.of("heartbeat_url", "c:8400")),
          new Heartbeats(
              workers, registry, view, conflicts, clashes, fullSyncs, Duration.ofSeconds(5)),
          fullSyncs,
          new Traces(spans.tracer()),
          counts,
          Duration.ofSeconds(5));

  private CompletableFuture<Barrier.Answer> await(
      WorkerId worker, long epoch, long sequence, Duration timeout) {
    waited = timeout;
    return CompletableFuture.completedFuture(barrierAnswer);
  }

  /** The reply to a heartbeat that asks for a list of all there is. */
  static HeartbeatRetMsg commanded(String reason, @Nullable Long epoch) {
    return new HeartbeatRetMsg(List.of(new FullSyncCommand(reason, null)), epoch);
  }

  /** A heartbeat of an agent. */
  DirectoryReply heartbeat(Long epoch) {
    return ask(new HeartbeatMsg("A", 0, "127.0.0.1", 1, "url", epoch));
  }

  DirectoryReply ask(DirectoryRequest request) {
    return handler.handle(request).join();
  }

  /** Why it was refused. */
  static @Nullable String code(DirectoryReply reply) {
    return ((ErrorMsg) reply).code();
  }
}
