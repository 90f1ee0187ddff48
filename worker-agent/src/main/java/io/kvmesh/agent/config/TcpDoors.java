package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.engine.EngineSettings;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.resp.RespProtocol;
import io.kvmesh.agent.engine.resp.RespSettings;
import io.kvmesh.agent.engine.tcp.BodyForms;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.engine.tcp.NamedDoor;
import io.kvmesh.agent.engine.tcp.TcpDoor;
import io.kvmesh.agent.engine.tcp.TcpProtocol;
import io.kvmesh.agent.engine.tcp.TcpSettings;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traces;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/** The doors for engines that come over plain TCP, of which those are opened that are enabled. */
final class TcpDoors implements AutoCloseable {

  private final EngineApi api;
  private final ChunkCache cache;
  private final EngineSettings engine;
  private final Traces traces;
  private final LongSupplier nanoTime;
  private final BodyForms forms;
  private final List<NamedDoor> doors;

  /** Hears of doors that are open. */
  interface Opened {
    void accept(String name, String bind, int port);
  }

  /** Assigns only. */
  TcpDoors(
      AgentSettings settings,
      EngineSettings engine,
      EngineApi api,
      ChunkCache cache,
      Traces traces,
      LongSupplier nanoTime) {
    this.engine = engine;
    this.api = api;
    this.cache = cache;
    this.traces = traces;
    this.nanoTime = nanoTime;
    this.forms =
        new BodyForms(
            new CacheRole(settings).bodies(),
            Math.toIntExact(new ModelShape(settings.model()).pageBytes().toBytes()));
    this.doors = List.of(lm(settings.lm()), resp(settings.resp()));
  }

  private NamedDoor lm(AgentSettings.Lm lm) {
    Counters<DoorCount> counters = new Counters<>(DoorCount.class);
    TcpSettings tcp =
        new TcpSettings(
            address(lm.bind()), lm.maxConnections(), lm.idleTimeout(), lm.stallTimeout());
    TcpProtocol protocol = new LmProtocol(desk(lm.exists(), counters), lm.maxBodyBytes().toBytes());
    return door("lm", lm.bind(), lm.enabled(), tcp, protocol, counters);
  }

  private NamedDoor resp(Resp resp) {
    Counters<DoorCount> counters = new Counters<>(DoorCount.class);
    TcpSettings tcp =
        new TcpSettings(
            address(resp.bind()), resp.maxConnections(), resp.idleTimeout(), resp.stallTimeout());
    CacheStats.Room room = cache.stats().room();
    long maxHeldBytes = (room.capacityBytes() + room.growableBytes()) / 100 * resp.maxHalfPercent();
    RespSettings.Pairs pairs =
        new RespSettings.Pairs(resp.maxHalfPairs(), maxHeldBytes, resp.halfPairWait());
    RespSettings terms =
        new RespSettings(
            resp.username(),
            resp.password(),
            resp.maxBodyBytes().toBytes(),
            resp.maxArguments(),
            pairs);
    TcpProtocol protocol = new RespProtocol(desk(resp.exists(), counters), terms, nanoTime);
    return door("resp", resp.bind(), resp.enabled(), tcp, protocol, counters);
  }

  private NamedDoor door(
      String name,
      String bind,
      boolean enabled,
      TcpSettings tcp,
      TcpProtocol protocol,
      Counters<DoorCount> counters) {
    Optional<TcpDoor> door =
        enabled
            ? Optional.of(new TcpDoor(name, tcp, protocol, counters, nanoTime))
            : Optional.empty();
    Set<DoorCount> kinds = EnumSet.allOf(DoorCount.class);
    kinds.removeAll(protocol.never());
    return new NamedDoor(name, bind, door, kinds, counters);
  }

  private ChunkDesk desk(ExistsScope exists, Counters<DoorCount> counters) {
    return new ChunkDesk(
        api,
        cache,
        forms,
        new ChunkDesk.Terms(exists, engine.deadline(), engine.storing()),
        counters,
        traces,
        nanoTime);
  }

  private static InetSocketAddress address(String bind) {
    Endpoint endpoint = Endpoint.parse(bind).orElseThrow();
    return Endpoint.isWildcard(endpoint.host())
        ? new InetSocketAddress(endpoint.port())
        : new InetSocketAddress(endpoint.host(), endpoint.port());
  }

  /**
   * Opens them.
   *
   * @param opened hears of each
   */
  void start(Opened opened) throws IOException {
    for (NamedDoor named : doors) {
      if (named.door().isPresent()) {
        named.door().get().start();
        opened.accept(named.name(), named.bind(), named.door().get().port());
      }
    }
  }

  /** All that there may be. */
  List<NamedDoor> doors() {
    return doors;
  }

  /** Closes those that are open. */
  @Override
  public void close() {
    doors.forEach(named -> named.door().ifPresent(TcpDoor::close));
  }
}
