package io.kvmesh.agent.ops;

import io.kvmesh.agent.engine.HandOverState;
import io.kvmesh.agent.transfer.Channels;
import io.kvmesh.common.zmq.ConnectionCut;
import io.kvmesh.common.zmq.ZmqStats;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** What is under way between this agent and others, and the sockets that it takes. */
final class TransferMeters {

  private TransferMeters() {}

  static void bind(MeterRegistry registry, AgentParts parts) {
    Figures<AgentParts> agent = new Figures<>(registry, parts, it -> it);
    bindPeers(agent);
    bindChannels(agent);
    bindMoves(agent);
    bindPrefetches(agent);
    bindEngine(agent);
    bindControllers(agent);
    bindSockets(new Figures<>(registry, parts, it -> it.sockets().stats()));
  }

  private static void bindPeers(Figures<AgentParts> agent) {
    agent.gauge(
        "loans",
        "Answers whose pages a peer may still be reading",
        it -> it.peerServer().openLoans());
    agent.gauge("loans.overdue", "Loans past their deadline", it -> it.peerServer().overdueLoans());
    agent.gauge("loaned.bytes", "Bytes on loan to peers", it -> it.peerServer().bytesOnLoan());
    agent.gauge("peers", "Connections to peers", it -> it.peerClient().connections());
    agent.gauge(
        "pull.inflight.bytes",
        "Bytes asked of peers and not yet arrived",
        it -> it.peerClient().bytesInFlight());
    agent.gauge("pull.inflight.chunks", "Chunks being pulled", it -> it.puller().chunksUnderWay());
  }

  private static void bindChannels(Figures<AgentParts> agent) {
    for (String channel : Channels.ALL) {
      agent.gauge(
          "channel.peers",
          "Connections over which this agent pulls, by channel",
          it -> it.peerClient().traffic().figures(channel).connections(),
          "channel",
          channel);
      agent.counter(
          "channel.deliveries",
          "Replies with chunks that came from peers, by channel",
          it -> it.peerClient().traffic().figures(channel).deliveries(),
          "channel",
          channel);
      agent.counter(
          "channel.bytes",
          "Bytes of chunks that came from peers, by channel",
          it -> it.peerClient().traffic().figures(channel).bytes(),
          "channel",
          channel);
    }
  }

  private static void bindMoves(Figures<AgentParts> agent) {
    agent.gauge(
        "move.remaining.chunks",
        "Chunks whose turn is still to come in the move from here that is under way",
        it -> it.mover().underWay().map(move -> move.chunks() - move.done()).orElse(0));
    agent.gauge(
        "move.held.chunks",
        "Chunks held until the moves are over which brought them here",
        it -> it.peerServer().heldForMoves());
  }

  private static void bindPrefetches(Figures<AgentParts> agent) {
    agent.gauge("prefetches", "Prefetches under way", it -> it.prefetcher().underWay().size());
    agent.gauge(
        "prefetch.held.chunks",
        "Chunks held until the prefetches are over which found or brought them",
        it -> it.prefetcher().holding());
  }

  private static void bindEngine(Figures<AgentParts> agent) {
    agent.gauge("sessions", "Open sessions of engines", it -> it.engine().sessions());
    agent.gauge("leases", "Leases that engines hold", it -> it.engine().leases());
    agent.gauge("leased.bytes", "Bytes in leases of engines", it -> it.engine().leasedBytes());
    agent.gauge(
        "engine.claimed.chunks",
        "Chunks that engines on this host are writing in place",
        it -> it.engine().handOvers().stream().mapToInt(HandOverState::claimedChunks).sum());
    agent.gauge(
        "engine.leased.chunks",
        "Chunks that engines on this host are reading in place, one counting once for each lease",
        it -> it.engine().handOvers().stream().mapToInt(HandOverState::leasedChunks).sum());
    agent.gauge(
        "engine.sessions.at.share",
        "Sessions that hold as many pages as one may, and get no more",
        it -> it.engine().handOvers().stream().filter(HandOverState::atItsShare).count());
    agent.gauge("engine.requests", "Requests of engines at work", it -> it.engine().atWork());
  }

  private static void bindControllers(Figures<AgentParts> agent) {
    agent.gauge("controllers", "Controllers in the settings", it -> it.directory().controllers());
    agent.gauge(
        "controllers.answering",
        "Controllers that answered when they were asked last",
        it -> it.directory().notFailing());
    agent.gauge(
        "lookups.remembered.chunks",
        "Chunks of which it is remembered who holds them",
        it -> it.lookups().chunks());
    agent.gauge(
        "controller.reachable",
        "1 while a controller answers",
        it -> it.directory().reachable() ? 1 : 0);
  }

  private static void bindSockets(Figures<ZmqStats> sockets) {
    sockets.gauge("zmq.sockets", "Open ZeroMQ sockets", ZmqStats::openSockets);
    sockets.gauge(
        "zmq.receive.bytes", "Native memory of receive buffers", ZmqStats::receiveBufferBytes);
    sockets.counter(
        "zmq.handshake.cutoffs",
        "Connections that ended before their handshake",
        ZmqStats::handshakeCutOffs);
    sockets.counter(
        "zmq.refused", "Messages dropped for too many frames", ZmqStats::refusedMessages);
    sockets.counter(
        "zmq.heap.fallbacks",
        "Large frames received on the heap since the receive buffers were used up",
        ZmqStats::heapFallbacks);
    sockets.counter(
        "zmq.refused.clients",
        "Connections refused since their key is another",
        ZmqStats::refusedClients);
    sockets.counter(
        "zmq.lost.frames",
        "Large frames for which there was no memory at all; their messages were dropped",
        ZmqStats::lostFrames);
    sockets.gauge("zmq.connections", "Connections to this program's doors", ZmqStats::connections);
    for (ConnectionCut why : ConnectionCut.values()) {
      sockets.counter(
          "zmq.connections.cut",
          "Connections to this program's doors that were cut off, by the reason",
          stats -> stats.cut(why),
          "reason",
          why.name().toLowerCase(Locale.ROOT));
    }
    sockets.counter("zmq.io.faults", "Exceptions on I/O threads", ZmqStats::ioFaults);
  }
}
