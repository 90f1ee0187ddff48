package io.kvmesh.agent.control;

import io.kvmesh.agent.fleet.PrefetchId;
import io.kvmesh.agent.fleet.PrefetchReport;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Prefetches on command, each by its event id. The reply to a command comes when it is over. */
final class PrefetchCommands {

  private static final String GROUP = "control";
  private static final int LONGEST_NAME = 200;

  private final Prefetcher prefetcher;
  private final String location;
  private final CommandKeys keys;
  private final LongSupplier epoch;
  private final Counters<ControlCount> counters;

  PrefetchCommands(
      Prefetcher prefetcher,
      String location,
      CommandKeys keys,
      LongSupplier epoch,
      Counters<ControlCount> counters) {
    this.prefetcher = prefetcher;
    this.location = location;
    this.keys = keys;
    this.epoch = epoch;
    this.counters = counters;
  }

  /** Begins one; its reply is given on its thread. */
  void begin(PrefetchWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    CommandFault.requireLocation(request.location(), location);
    Prefetcher.Entry entry =
        prefetcher.begin(
            id(request.workerEventId()),
            prefix(request),
            request.deadlineMillis(),
            report -> reply.accept(receipt(report)));
    switch (entry) {
      case BEGUN -> counters.count(ControlCount.PREFETCH);
      case DUPLICATE ->
          throw CommandFault.badRequest(
              "There is a prefetch '" + request.workerEventId() + "' already");
      case BUSY ->
          throw CommandFault.busy(
              "As many prefetches as kvmesh.prefetch.max-running allows are under way");
      case NOT_KEPT -> throw CommandFault.unsupported("This agent keeps no chunks");
      case CLOSING -> throw CommandFault.busy("This agent is closing");
    }
  }

  private static PrefetchId id(String eventId) throws CommandFault {
    if (eventId.length() > LONGEST_NAME) {
      throw CommandFault.badRequest(
          "an event id has at most %d characters, this one has %d"
              .formatted(LONGEST_NAME, eventId.length()));
    }
    return new PrefetchId(GROUP, eventId);
  }

  private List<ChunkKey> prefix(PrefetchWorkerMsg request) throws CommandFault {
    List<Long> tokens = request.tokens();
    List<ChunkKey> prefix = keys.named(request.keys(), tokens == null ? List.of() : tokens);
    if (prefix.isEmpty()) {
      throw CommandFault.badRequest("A prefetch names at least one chunk");
    }
    ChunkKey first = prefix.getFirst();
    for (ChunkKey key : prefix) {
      if (!key.keyspace().equals(first.keyspace())) {
        throw CommandFault.badRequest(
            "the keys of a prefix share all but their hashes, %s and %s don't"
                .formatted(first, key));
      }
    }
    return prefix;
  }

  PrefetchWorkerRetMsg check(CheckPrefetchWorkerMsg request) throws CommandFault {
    counters.count(ControlCount.CHECK);
    String eventId = request.workerEventId();
    return receipt(prefetcher.find(id(eventId)).orElseThrow(() -> unknown(eventId)));
  }

  PrefetchWorkerRetMsg cancel(CancelPrefetchWorkerMsg request) throws CommandFault {
    String eventId = request.workerEventId();
    PrefetchReport report = prefetcher.cancel(id(eventId)).orElseThrow(() -> unknown(eventId));
    counters.count(ControlCount.CANCEL);
    return receipt(report);
  }

  private static CommandFault unknown(String eventId) {
    return CommandFault.notFound("No prefetch '" + eventId + "' is known");
  }

  private PrefetchWorkerRetMsg receipt(PrefetchReport report) {
    return new PrefetchWorkerRetMsg(
        report.tokens(),
        epoch.getAsLong(),
        report.sequence(),
        report.outcomes(),
        report.state(),
        report.reason());
  }
}
