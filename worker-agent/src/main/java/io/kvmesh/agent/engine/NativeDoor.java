package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The native door: msgpack messages on a ROUTER. One thread owns the socket, the sessions and their
 * leases; what may take time runs on a thread of its own, so many at once at most, and hands its
 * outcome back. Every message gets one reply.
 *
 * <p>Retrieved bodies are sent from the cache's pages without a copy. They are right as long as the
 * lease is: a client releases a lease when it has read all replies that name it. A client that went
 * away is noticed by its connection, and a session that is idle for much longer than the
 * connection's heartbeats has been sent all there was. A session to which memory was handed over
 * ends when the kernel has closed its process's connection to the Unix socket, and at no other sign
 * of it.
 */
public final class NativeDoor implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(50);
  private static final int SPARE_TASKS = 1024;

  private final EngineSettings settings;
  private final SocketLoop loop;
  private final EngineSessions sessions;
  private final EngineTasks tasks;
  private final EngineRequests requests;
  private final RefusedFrames refused;
  private final Optional<LifelineSocket> lifelines;
  private volatile int port;

  /** Assigns only. */
  public NativeDoor(
      LocalPeer self,
      EngineSettings settings,
      ChunkCache cache,
      FleetPuller fleet,
      Prefetcher prefetcher,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<EngineCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.settings = settings;
    this.loop = new SocketLoop("engine-door", sockets, settings.maxRequests() + SPARE_TASKS);
    EnginePins pins = new EnginePins(cache.pins(), settings.maxKeys(), counters);
    EnginePrefetches prefetches = new EnginePrefetches(prefetcher, settings.maxKeys(), counters);
    this.sessions = new EngineSessions(settings, pins, prefetches, counters, nanoTime);
    this.refused = new RefusedFrames("engine", nanoTime);
    this.tasks = new EngineTasks(loop, settings.maxRequests(), nanoTime);
    EngineApi api = new EngineApi(cache, fleet);
    EngineWork work = new EngineWork(api, settings, self.epoch(), counters, traces, nanoTime);
    this.requests =
        new EngineRequests(
            new EngineDesk(self, settings, sessions, pins, prefetches, api, counters),
            sessions,
            work,
            tasks,
            codec,
            counters,
            refused);
    this.lifelines =
        settings
            .handOver()
            .map(
                it ->
                    new LifelineSocket(
                        it.socket(), settings.maxSessions(), told(it), counters, nanoTime));
  }

  private LifelineSocket.Listener told(HandOverSettings handOver) {
    return new LifelineSocket.Listener() {
      @Override
      public boolean named(Lifeline line, long sessionId) {
        return loop.execute(() -> sessions.tie(line, sessionId, handOver.maxChunks()));
      }

      @Override
      public boolean ended(Lifeline line) {
        return loop.execute(() -> sessions.ended(line));
      }
    };
  }

  /**
   * Opens the door.
   *
   * @throws IOException if the address is taken; the door is then closed
   */
  public void start() throws IOException {
    loop.every(TICK, sessions::tick);
    loop.start();
    try {
      port = loop.bind(SocketKind.ROUTER, settings.bind(), settings.sockets(), requests).port();
      if (lifelines.isPresent()) {
        lifelines.get().start();
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** The port that is open. */
  public int port() {
    return port;
  }

  /** Takes no more requests, ends all sessions and what is at work for them. */
  @Override
  public void close() {
    requests.close();
    lifelines.ifPresent(LifelineSocket::close);
    loop.execute(sessions::endAll);
    loop.close();
    tasks.await();
  }

  /** Open sessions. */
  public int sessions() {
    return sessions.count();
  }

  /** Leases of all sessions. */
  public int leases() {
    return sessions.leases();
  }

  /** Sessions that hold pages for engines on this host, as they were a moment ago. */
  public List<HandOverState> handOvers() {
    return sessions.handOvers();
  }

  /** Bytes that they hold. */
  public long leasedBytes() {
    return sessions.leasedBytes();
  }

  /** Requests at work. */
  public int atWork() {
    return tasks.atWork();
  }

  /** Frames that were refused. */
  public RefusedFrames refusedFrames() {
    return refused;
  }
}
