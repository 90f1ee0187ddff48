package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.control.ControlCount;
import io.kvmesh.agent.control.ControlServer;
import io.kvmesh.agent.directory.ControllerDirectory;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.engine.NativeDoor;
import io.kvmesh.agent.engine.tcp.NamedDoor;
import io.kvmesh.agent.event.PublisherStats;
import io.kvmesh.agent.fleet.PrefetchCount;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.PeerClient;
import io.kvmesh.agent.transfer.PeerServer;
import io.kvmesh.agent.transfer.PrefixPuller;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.ZmqSockets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The running agent, to be looked at.
 *
 * @param doors addresses by name, host:port; empty before the start
 * @param log what the publisher did; empty before the start
 */
public record AgentParts(
    LocalPeer self,
    Optional<ArenaView> arena,
    ChunkCache cache,
    ZmqSockets sockets,
    PeerServer peerServer,
    PeerClient peerClient,
    PrefixPuller puller,
    ChunkMover mover,
    Drainer drainer,
    Prefetcher prefetcher,
    ControllerDirectory directory,
    LocalLookupCache lookups,
    ControlServer control,
    NativeDoor engine,
    List<NamedDoor> tcpDoors,
    Counters<ServerCount> serverCounts,
    Counters<PullCount> pullCounts,
    Counters<MoveCount> moveCounts,
    Counters<MoveCount> drainCounts,
    Counters<PrefetchCount> prefetchCounts,
    Counters<DirectoryCount> directoryCounts,
    Counters<ControlCount> controlCounts,
    Counters<EngineCount> engineCounts,
    Supplier<Map<String, String>> doors,
    Supplier<Optional<PublisherStats>> log) {}
