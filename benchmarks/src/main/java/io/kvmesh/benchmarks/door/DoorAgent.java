package io.kvmesh.benchmarks.door;

import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.engine.lm.LmProtocol;
import io.kvmesh.agent.engine.resp.RespProtocol;
import io.kvmesh.agent.engine.resp.RespSettings;
import io.kvmesh.agent.engine.tcp.BodyForms;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.agent.engine.tcp.ExistsScope;
import io.kvmesh.agent.engine.tcp.TcpDoor;
import io.kvmesh.agent.engine.tcp.TcpProtocol;
import io.kvmesh.agent.engine.tcp.TcpSettings;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.benchmarks.AgentEnd;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traces;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** An agent's cache behind its doors for LMCache's connectors, with their default settings. */
final class DoorAgent implements AutoCloseable {

  private static final int MAX_CONNECTIONS = 1024;
  private static final int MAX_ARGUMENTS = 1024;
  private static final long MAX_BODY_BYTES = 512L << 20;
  private static final Duration IDLE = Duration.ofHours(1);
  private static final Duration STALL = Duration.ofSeconds(30);

  /** Of a request that isn't served from here. */
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private static final int MAX_HALVES = 256;

  /** So many bodies may be on their way in or out while all chunks are resident. */
  private static final int SPARE_PAGES = 4;

  private final AgentEnd end;
  private final TcpDoor lm;
  private final TcpDoor resp;

  DoorAgent(int chunks, int chunkBytes) throws IOException {
    end = new AgentEnd("doors", chunks + SPARE_PAGES, chunkBytes, AgentEnd.Way.ZMQ);
    LocalLookupCache nobody =
        new LocalLookupCache(
            (keyspace, hashes, atMost) -> new LookupOutcome.Miss(),
            0,
            Duration.ZERO,
            new Counters<>(DirectoryCount.class),
            System::nanoTime);
    EngineApi api = new EngineApi(end.cache(), new FleetPuller(nobody, end.puller()));
    BodyForms forms = new BodyForms(BodyRule.ANY, chunkBytes);
    Counters<DoorCount> ofLm = new Counters<>(DoorCount.class);
    Counters<DoorCount> ofResp = new Counters<>(DoorCount.class);
    lm = door("lm", new LmProtocol(desk(api, forms, ofLm), MAX_BODY_BYTES), ofLm);
    RespSettings.Pairs pairs = new RespSettings.Pairs(MAX_HALVES, chunkBytes, STALL);
    RespSettings settings = new RespSettings("default", "", MAX_BODY_BYTES, MAX_ARGUMENTS, pairs);
    resp =
        door(
            "resp", new RespProtocol(desk(api, forms, ofResp), settings, System::nanoTime), ofResp);
  }

  private ChunkDesk desk(EngineApi api, BodyForms forms, Counters<DoorCount> counters) {
    return new ChunkDesk(
        api,
        end.cache(),
        forms,
        new ChunkDesk.Terms(ExistsScope.FLEET, DEADLINE, new Reserving.Now()),
        counters,
        Traces.off(),
        System::nanoTime);
  }

  private static TcpDoor door(String name, TcpProtocol protocol, Counters<DoorCount> counters)
      throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    TcpSettings settings = new TcpSettings(anyPort, MAX_CONNECTIONS, IDLE, STALL);
    TcpDoor door = new TcpDoor(name, settings, protocol, counters, System::nanoTime);
    door.start();
    return door;
  }

  int lmPort() {
    return lm.port();
  }

  int respPort() {
    return resp.port();
  }

  @Override
  public void close() {
    lm.close();
    resp.close();
    end.close();
  }
}
