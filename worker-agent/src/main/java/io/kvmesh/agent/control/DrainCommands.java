package io.kvmesh.agent.control;

import io.kvmesh.agent.drain.DrainOrder;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Drains on command. The reply to a command comes when it is over. */
final class DrainCommands {

  private final LocalPeer self;
  private final String location;
  private final Drainer drainer;
  private final Duration longest;
  private final PeerAddress addresses;
  private final Counters<ControlCount> counters;

  /**
   * @param longest that one may take
   */
  DrainCommands(
      LocalPeer self,
      String location,
      Drainer drainer,
      Duration longest,
      PeerAddress addresses,
      Counters<ControlCount> counters) {
    this.self = self;
    this.location = location;
    this.drainer = drainer;
    this.longest = longest;
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Begins one; its reply is given on its thread. */
  void begin(DrainWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    CommandFault.requireLocation(request.location(), location);
    if (!self.offers()) {
      throw CommandFault.busy("Nobody may read from this agent: it isn't known to the log");
    }
    DrainOrder order =
        new DrainOrder(
            request.workerEventId(),
            target(request.peerInitUrl()),
            atMost(request.deadlineMillis()),
            request.maxBytes() > 0 ? request.maxBytes() : Long.MAX_VALUE);
    var over = drainer.begin(order).orElseThrow(this::busy);
    counters.count(ControlCount.DRAIN);
    var unused = over.thenAccept(report -> reply.accept(receipt(report)));
  }

  private @Nullable String target(@Nullable String url) throws CommandFault {
    return url == null ? null : addresses.ofOther(url);
  }

  private Duration atMost(long millis) {
    return millis > 0 && millis < longest.toMillis() ? Duration.ofMillis(millis) : longest;
  }

  private CommandFault busy() {
    return drainer
        .underWay()
        .map(
            it ->
                CommandFault.busy(
                    "Drain '%s' is under way, %d of %d chunks are done"
                        .formatted(it.id(), it.done(), it.chunks())))
        .orElseGet(() -> CommandFault.busy("A drain was under way, or this agent is closing"));
  }

  DrainWorkerRetMsg check(CheckDrainWorkerMsg request) throws CommandFault {
    counters.count(ControlCount.CHECK);
    String eventId = request.workerEventId();
    return receipt(drainer.find(eventId).orElseThrow(() -> unknown(eventId)));
  }

  DrainWorkerRetMsg cancel(CancelDrainWorkerMsg request) throws CommandFault {
    String eventId = request.workerEventId();
    MoveReport report = drainer.cancel(eventId).orElseThrow(() -> unknown(eventId));
    counters.count(ControlCount.CANCEL);
    return receipt(report);
  }

  /** Has this agent stay; the reply is given once no drain is under way. */
  void undrain(Consumer<ControlReply> reply) throws CommandFault {
    var over =
        drainer
            .undrain()
            .orElseThrow(() -> CommandFault.busy("This agent is ending: it can't stay"));
    counters.count(ControlCount.UNDRAIN);
    var unused = over.thenAccept(report -> reply.accept(receipt(report)));
  }

  private static CommandFault unknown(String eventId) {
    return CommandFault.notFound("No drain '" + eventId + "' is known");
  }

  private DrainWorkerRetMsg receipt(MoveReport report) {
    return new DrainWorkerRetMsg(
        report.tokens(),
        self.epoch().getAsLong(),
        report.sequence(),
        report.chunks(),
        report.bytes(),
        report.outcomes(),
        report.targets(),
        report.left().stream().map(ChunkKey::toString).toList(),
        report.leftWhy(),
        report.stopped());
  }
}
