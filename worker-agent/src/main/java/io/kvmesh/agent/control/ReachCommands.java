package io.kvmesh.agent.control;

import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Tries peers on command. The reply to a command comes when all are tried. */
final class ReachCommands {

  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final PeerReachability peers;
  private final PeerAddress addresses;
  private final Counters<ControlCount> counters;

  ReachCommands(PeerReachability peers, PeerAddress addresses, Counters<ControlCount> counters) {
    this.peers = peers;
    this.addresses = addresses;
    this.counters = counters;
  }

  /** Begins; the reply is given on another thread. */
  void begin(ReachWorkerMsg request, Consumer<ControlReply> reply) throws CommandFault {
    if (request.peers().size() > ReachWorkerMsg.MOST_PEERS) {
      throw CommandFault.badRequest(
          "At most %d peers are tried at a time, got %d"
              .formatted(ReachWorkerMsg.MOST_PEERS, request.peers().size()));
    }
    List<String> others = new ArrayList<>();
    for (String url : request.peers()) {
      others.add(addresses.ofOther(url));
    }
    long millis = request.timeoutMillis();
    boolean shorter = millis > 0 && millis < LONGEST.toMillis();
    var over =
        peers
            .tryAll(others, shorter ? Duration.ofMillis(millis) : LONGEST)
            .orElseThrow(() -> CommandFault.busy("Peers are being tried already"));
    counters.count(ControlCount.REACH);
    var unused = over.thenAccept(outcomes -> reply.accept(new ReachWorkerRetMsg(outcomes)));
  }
}
