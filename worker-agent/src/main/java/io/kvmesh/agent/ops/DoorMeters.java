package io.kvmesh.agent.ops;

import io.kvmesh.agent.control.ControlCount;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.engine.tcp.NamedDoor;
import io.kvmesh.agent.fleet.PrefetchCount;
import io.kvmesh.agent.transfer.MoveCount;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.agent.transfer.ServerCount;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.RefusedFrames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * What happens at each door, and what each socket refuses. A door is one counter with a label for
 * each constant of its enum: {@code events} by default, {@code chunks} and {@code bytes} for
 * constants that begin so.
 */
final class DoorMeters {

  private static final Set<MoveCount> MOVES =
      EnumSet.complementOf(EnumSet.of(MoveCount.CHUNK_ELSEWHERE));

  /** What is handed over stays here. */
  private static final Set<MoveCount> DRAINS =
      EnumSet.complementOf(
          EnumSet.of(
              MoveCount.RETRY,
              MoveCount.CHUNK_MOVED,
              MoveCount.CHUNK_IN_USE,
              MoveCount.CHUNK_NOT_HELD));

  private DoorMeters() {}

  static void bind(MeterRegistry registry, AgentParts parts) {
    door(
        registry, "peer.server", "at the doors for peers", ServerCount.class, parts.serverCounts());
    door(registry, "peer.pull", "of pulls from peers", PullCount.class, parts.pullCounts());
    door(registry, "move", "of moves to other agents", MOVES, parts.moveCounts());
    door(
        registry,
        "drain",
        "of what is handed over to others as this agent goes, or is drained",
        DRAINS,
        parts.drainCounts());
    door(registry, "prefetch", "of prefetches", PrefetchCount.class, parts.prefetchCounts());
    door(
        registry,
        "directory",
        "between this agent and the controllers",
        DirectoryCount.class,
        parts.directoryCounts());
    door(
        registry, "control", "at the door for commands", ControlCount.class, parts.controlCounts());
    door(registry, "engine", "at the engine's door", EngineCount.class, parts.engineCounts());
    parts.tcpDoors().forEach(named -> tcpDoor(registry, named));
    refused(registry, parts.peerClient().refusedFrames());
    refused(registry, parts.directory().refusedFrames());
    refused(registry, parts.control().refusedFrames());
    refused(registry, parts.engine().refusedFrames());
    parts.peerServer().refusedFrames().forEach(socket -> refused(registry, socket));
  }

  private static void tcpDoor(MeterRegistry registry, NamedDoor named) {
    String where = "at the door " + named.name();
    door(registry, named.name(), where, named.kinds(), named.counters());
    Gauge.builder(Figures.PREFIX + named.name() + ".connections", named, NamedDoor::connections)
        .description("Clients that are connected " + where)
        .register(registry);
  }

  private static <E extends Enum<E>> void door(
      MeterRegistry registry, String name, String where, Class<E> kinds, Counters<E> counters) {
    door(registry, name, where, EnumSet.allOf(kinds), counters);
  }

  private static <E extends Enum<E>> void door(
      MeterRegistry registry, String name, String where, Set<E> kinds, Counters<E> counters) {
    for (E constant : kinds) {
      String kind = constant.name().toLowerCase(Locale.ROOT);
      String what =
          kind.startsWith("chunk") ? "chunks" : kind.startsWith("byte") ? "bytes" : "events";
      FunctionCounter.builder(Figures.PREFIX + name + "." + what, counters, it -> it.get(constant))
          .description(capitalized(what) + " " + where + ", by kind")
          .tag("kind", kind)
          .register(registry);
    }
  }

  private static String capitalized(String word) {
    return Character.toUpperCase(word.charAt(0)) + word.substring(1);
  }

  private static void refused(MeterRegistry registry, RefusedFrames frames) {
    FunctionCounter.builder(Figures.PREFIX + "refused.frames", frames, RefusedFrames::count)
        .description("Messages that a socket could not make sense of")
        .tag("socket", frames.socket())
        .register(registry);
  }
}
