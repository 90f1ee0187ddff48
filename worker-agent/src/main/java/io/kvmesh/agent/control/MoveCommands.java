package io.kvmesh.agent.control;

import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.MoveOrder;
import io.kvmesh.agent.transfer.MoveReport;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.CheckFinishWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Moves and copies to other workers on command. The reply comes when the move is over. */
final class MoveCommands {

  private final LocalPeer self;
  private final String location;
  private final ChunkMover mover;
  private final CommandKeys keys;
  private final PeerAddress addresses;
  private final Counters<ControlCount> counters;

  MoveCommands(
      LocalPeer self,
      String location,
      ChunkMover mover,
      CommandKeys keys,
      PeerAddress addresses,
      Counters<ControlCount> counters) {
    this.self = self;
    this.location = location;
    this.mover = mover;
    this.keys = keys;
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Begins a move; its reply is given on the move's thread. */
  void begin(MoveWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    CommandFault.requireLocation(request.oldPosition(), location);
    CommandFault.requireLocation(request.newPosition().location(), location);
    MoveOrder order =
        new MoveOrder(
            request.workerEventId(),
            addresses.ofOther(request.newPosition().peerInitUrl()),
            named(request),
            !Boolean.FALSE.equals(request.copy()));
    if (!mover.begin(order, report -> reply.accept(receipt(report)))) {
      throw CommandFault.busy("Another move is under way, or this agent is closing");
    }
    counters.count(ControlCount.MOVE);
  }

  /** Null for all. */
  private @Nullable List<ChunkKey> named(MoveWorkerMsg request) throws CommandFault {
    List<Long> tokens = request.tokens();
    if (request.keys() == null && tokens == null) {
      return null;
    }
    return keys.named(request.keys(), tokens == null ? List.of() : tokens);
  }

  private MoveWorkerRetMsg receipt(MoveReport report) {
    return new MoveWorkerRetMsg(
        report.tokens(),
        self.epoch().getAsLong(),
        report.sequence(),
        report.outcomes(),
        report.left().stream().map(ChunkKey::toString).toList(),
        report.leftWhy(),
        report.stopped());
  }

  /** How far a move is, or how the last one ended. */
  CheckFinishWorkerRetMsg check(CheckFinishWorkerMsg request) throws CommandFault {
    counters.count(ControlCount.CHECK);
    String id = request.workerEventId();
    Optional<MoveReport> running = mover.underWay().filter(it -> it.id().equals(id));
    if (running.isPresent()) {
      return new CheckFinishWorkerRetMsg("in_progress");
    }
    MoveReport ended =
        mover
            .last()
            .filter(it -> it.id().equals(id))
            .orElseThrow(() -> CommandFault.notFound("No event '" + id + "' is known"));
    return new CheckFinishWorkerRetMsg(ended.stopped() == null ? "done" : "stopped");
  }
}
