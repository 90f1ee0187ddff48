package io.kvmesh.agent.engine;

import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.fleet.Prefetchers;
import io.kvmesh.agent.memory.ArenaIdentity;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.transfer.RawClient;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.SocketSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** What tests of the engine's door have in common. */
public final class TestDoor {

  static final int PAGE = 4096;

  private TestDoor() {}

  /** The usual ones but for these. */
  public static EngineSettings settings(
      Duration sessionIdle,
      Duration leaseLifetime,
      int maxSessions,
      int maxRequests,
      Duration storeWait) {
    return new EngineSettings(
        SocketSettings.DEFAULT.withMessages(100, 4 * PAGE, 100),
        "tcp://127.0.0.1:0",
        Duration.ofSeconds(2),
        sessionIdle,
        leaseLifetime,
        maxSessions,
        3,
        20 * PAGE,
        maxRequests,
        40,
        storeWait,
        Optional.empty());
  }

  /** The same, with the agent's memory handed over. */
  static EngineSettings handingOver(
      EngineSettings settings, TestAgent agent, Path socket, int maxChunks) {
    return handingOver(settings, settings.sockets(), agent, socket, maxChunks);
  }

  /** The same with other settings of the sockets. */
  static EngineSettings handingOver(
      EngineSettings settings,
      SocketSettings sockets,
      TestAgent agent,
      Path socket,
      int maxChunks) {
    PageArena arena = agent.self.channels().arena().orElseThrow();
    ArenaIdentity identity = arena.identity().orElseThrow();
    return new EngineSettings(
        sockets,
        settings.bind(),
        settings.deadline(),
        settings.sessionIdle(),
        settings.leaseLifetime(),
        settings.maxSessions(),
        settings.maxLeases(),
        settings.maxLeasedBytes(),
        settings.maxRequests(),
        settings.maxKeys(),
        settings.storeWait(),
        Optional.of(
            new HandOverSettings(
                socket,
                arena.file().orElseThrow(),
                identity.id().toString(),
                identity.arenaBytes(),
                identity.generationsOffset(),
                maxChunks)));
  }

  /** A door of that agent, which the caller closes. */
  public static NativeDoor start(
      TestAgent agent,
      EngineSettings settings,
      PeerDirectory directory,
      Counters<EngineCount> counters)
      throws IOException {
    return start(agent, settings, directory, counters, System::nanoTime);
  }

  /** The same, on a clock of the test's. */
  static NativeDoor start(
      TestAgent agent,
      EngineSettings settings,
      PeerDirectory directory,
      Counters<EngineCount> counters,
      LongSupplier nanoTime)
      throws IOException {
    FleetPuller fleet = Prefetchers.fleet(agent, directory);
    NativeDoor door =
        new NativeDoor(
            agent.self,
            settings,
            agent.cache,
            fleet,
            Prefetchers.of(agent, fleet),
            agent.sockets,
            new MessageCodec(),
            counters,
            agent.traces,
            nanoTime);
    door.start();
    return door;
  }

  static long open(RawClient by) {
    return by.ask(OpenSessionRetMsg.class, new OpenSessionMsg(1, "test")).sessionId();
  }

  static List<String> texts(List<ChunkKey> keys) {
    return keys.stream().map(ChunkKey::toString).toList();
  }
}
