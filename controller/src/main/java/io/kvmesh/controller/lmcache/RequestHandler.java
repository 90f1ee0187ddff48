package io.kvmesh.controller.lmcache;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.directory.AppliedMsg;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupMsg;
import io.kvmesh.common.wire.directory.BatchedP2PLookupRetMsg;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.directory.DrainMsg;
import io.kvmesh.common.wire.directory.DrainRetMsg;
import io.kvmesh.common.wire.directory.ErrorMsg;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.directory.FullSyncStatusMsg;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.PeerLayout;
import io.kvmesh.common.wire.directory.RegisterMsg;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.Holder;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.Requester;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests of workers. Every request gets one reply. Any thread. */
final class RequestHandler {

  /** Of the holders of a prefix that many hold, so many are told. */
  private static final int MOST_HOLDERS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);

  private final LogLimit logLimit = new LogLimit(System::nanoTime);
  private final HolderLookup lookup;
  private final DrainLookup drains;
  private final Barrier barrier;
  private final Registration registration;
  private final Heartbeats heartbeats;
  private final FullSyncs fullSyncs;
  private final Traces traces;
  private final FrontCounts counts;
  private final Duration maxWait;

  RequestHandler(
      HolderLookup lookup,
      DrainLookup drains,
      Barrier barrier,
      Registration registration,
      Heartbeats heartbeats,
      FullSyncs fullSyncs,
      Traces traces,
      FrontCounts counts,
      Duration maxWait) {
    this.lookup = lookup;
    this.drains = drains;
    this.barrier = barrier;
    this.registration = registration;
    this.heartbeats = heartbeats;
    this.fullSyncs = fullSyncs;
    this.traces = traces;
    this.counts = counts;
    this.maxWait = maxWait;
  }

  /** Whether the reply may have to wait for the log or the view; the others come at once. */
  static boolean mayWait(DirectoryRequest request) {
    return switch (request) {
      case AppliedMsg _, RegisterMsg _, FullSyncStartMsg _, FullSyncStatusMsg _ -> true;
      case HeartbeatMsg heartbeat -> heartbeat.epoch() == null;
      case BatchedP2PLookupMsg _, DrainMsg _ -> false;
    };
  }

  /** The reply; completes normally in the end. */
  CompletableFuture<DirectoryReply> handle(DirectoryRequest request) {
    try {
      return dispatch(request);
    } catch (KeyFormatException e) {
      counts.lost(FrontCounts.Loss.BAD_VALUE);
      if (logLimit.permits()) {
        LOG.warn("A {} is refused: {}", request.getClass().getSimpleName(), e.getMessage());
      }
      return now(new ErrorMsg(String.valueOf(e.getMessage()), ErrorMsg.BAD_REQUEST));
    }
  }

  private CompletableFuture<DirectoryReply> dispatch(DirectoryRequest request) {
    return switch (request) {
      case BatchedP2PLookupMsg question -> now(traced(question));
      case DrainMsg question -> now(drain(question));
      case AppliedMsg question -> waitFor(question);
      case RegisterMsg register -> registration.register(register);
      case HeartbeatMsg heartbeat -> heartbeats.answer(heartbeat);
      case FullSyncStartMsg sync -> fullSyncs.start(sync);
      case FullSyncStatusMsg sync -> fullSyncs.status(sync);
    };
  }

  private DirectoryReply traced(BatchedP2PLookupMsg question) {
    return traces.serveUninterrupted(
        "controller lookup",
        Traceparent.parse(question.traceparent(), counts::badTraceparent),
        span -> {
          DirectoryReply reply = find(question);
          span.tag(Traces.CHUNKS_ASKED, question.hashes().size());
          span.tag(Traces.OUTCOME, outcome(reply));
          return reply;
        });
  }

  private static String outcome(DirectoryReply reply) {
    return switch (reply) {
      case BatchedP2PLookupRetMsg found ->
          found.layoutInfo().contains(PeerLayout.MISS) ? "miss" : "found";
      default -> "not_ready";
    };
  }

  private DirectoryReply find(BatchedP2PLookupMsg question) {
    WorkerId worker = new WorkerId(question.instanceId(), question.workerId());
    String keyspace = question.keyspace();
    Requester requester =
        keyspace == null
            ? Requester.foreign(worker)
            : Requester.agent(worker, Keyspace.parse(keyspace));
    long[] hashBits = question.hashes().stream().mapToLong(ChunkHash::bits).toArray();
    return switch (lookup.find(requester, hashBits)) {
      case LookupAnswer.NotReady() -> notReady();
      case LookupAnswer.Found found when found.holders().isEmpty() ->
          new BatchedP2PLookupRetMsg(List.of(PeerLayout.MISS));
      // A foreign worker gets what LMCache would answer, to the byte.
      case LookupAnswer.Found found when keyspace == null ->
          new BatchedP2PLookupRetMsg(List.of(layout(found.holders().getFirst())));
      case LookupAnswer.Found found -> layouts(found.holders());
    };
  }

  private DirectoryReply drain(DrainMsg question) {
    WorkerId worker = new WorkerId(question.instanceId(), question.workerId());
    long[] hashBits = question.hashes().stream().mapToLong(ChunkHash::bits).toArray();
    return drains
        .find(worker, Keyspace.parse(question.keyspace()), hashBits)
        .<DirectoryReply>map(it -> new DrainRetMsg(it.targets(), it.elsewhere()))
        .orElseGet(RequestHandler::notReady);
  }

  private static ErrorMsg notReady() {
    return new ErrorMsg("the log is not read to its end yet", ErrorMsg.NOT_READY);
  }

  private static BatchedP2PLookupRetMsg layouts(List<Holder> holders) {
    List<Holder> told = holders.subList(0, Math.min(MOST_HOLDERS, holders.size()));
    return new BatchedP2PLookupRetMsg(
        told.stream().map(RequestHandler::layout).toList(),
        told.stream().map(Holder::epoch).toList());
  }

  private static PeerLayout layout(Holder holder) {
    return new PeerLayout(
        holder.worker().instanceId(), holder.location(), holder.chunks(), holder.peerInitUrl());
  }

  private CompletableFuture<DirectoryReply> waitFor(AppliedMsg question) {
    WorkerId worker = new WorkerId(question.instanceId(), question.workerId());
    long millis = Math.clamp(question.timeoutMillis(), 0, maxWait.toMillis());
    return barrier
        .await(worker, question.epoch(), question.sequence(), Duration.ofMillis(millis))
        .thenApply(
            answer ->
                answer.outcome() == Barrier.Outcome.REFUSED
                    ? new ErrorMsg("too many barriers wait already", ErrorMsg.NOT_READY)
                    : new AppliedRetMsg(answer.applied(), answer.epoch(), answer.sequence()));
  }

  private static CompletableFuture<DirectoryReply> now(DirectoryReply reply) {
    return CompletableFuture.completedFuture(reply);
  }
}
