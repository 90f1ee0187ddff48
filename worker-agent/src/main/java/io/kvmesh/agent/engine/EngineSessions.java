package io.kvmesh.agent.engine;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.zmq.PeerId;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of the engine's door; bounded. The door's thread alone, but for the figures. */
final class EngineSessions {

  private static final Logger LOG = LoggerFactory.getLogger(EngineSessions.class);

  private final EngineSettings settings;
  private final Counters<EngineCount> counters;
  private final LongSupplier nanoTime;
  private final EnginePins pins;
  private final EnginePrefetches prefetches;
  private final SecureRandom ids = new SecureRandom();
  private final Map<Long, EngineSession> open = new HashMap<>();
  private volatile int count;
  private volatile int leases;
  private volatile long leasedBytes;
  private volatile List<HandOverState> handOvers = List.of();

  EngineSessions(
      EngineSettings settings,
      EnginePins pins,
      EnginePrefetches prefetches,
      Counters<EngineCount> counters,
      LongSupplier nanoTime) {
    this.settings = settings;
    this.pins = pins;
    this.prefetches = prefetches;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  EngineSession open(PeerId connection, String client) throws EngineFault {
    if (open.size() >= settings.maxSessions()) {
      throw EngineFault.overloaded("%d sessions are open".formatted(open.size()));
    }
    long id = ids.nextLong(1, Long.MAX_VALUE);
    EngineSession session =
        new EngineSession(id, connection, client, settings, nanoTime.getAsLong());
    open.put(id, session);
    counters.count(EngineCount.SESSION);
    return session;
  }

  /** The session, if it is this connection's. */
  EngineSession find(PeerId connection, long id) throws EngineFault {
    EngineSession session = open.get(id);
    if (session == null || !session.admits(connection)) {
      throw new EngineFault(
          EngineErrorCode.UNKNOWN_SESSION, "this connection has no session %d".formatted(id));
    }
    session.usedAt(nanoTime.getAsLong());
    return session;
  }

  /** Ends a session; the answer is the number of chunks that it held. */
  int end(EngineSession session, EngineCount reason) {
    open.remove(session.id());
    int chunks = session.end();
    pins.end(session);
    prefetches.end(session);
    counters.count(reason);
    LOG.debug("Session of {} ended ({}), {} chunks were held", session.client(), reason, chunks);
    return chunks;
  }

  /** Ends the sessions of a connection that went away. */
  void gone(PeerId connection) {
    for (EngineSession session : List.copyOf(open.values())) {
      if (session.dependsOn(connection)) {
        end(session, EngineCount.SESSION_GONE);
      }
    }
  }

  /** A connection to the Unix socket names its session. */
  void tie(Lifeline line, long id, int maxChunks) {
    EngineSession session = open.get(id);
    boolean tied = session != null && session.tie(line, maxChunks);
    counters.count(tied ? EngineCount.LIFELINE : EngineCount.LIFELINE_REFUSED);
    line.answer(tied);
  }

  /** Ends the session whose process is gone, or has let go of it. */
  void ended(Lifeline line) {
    for (EngineSession session : List.copyOf(open.values())) {
      if (session.hasLifeline(line)) {
        int chunks = end(session, EngineCount.LIFELINE_ENDED);
        LOG.info("The process of {} is gone; it held {} chunks", session.client(), chunks);
      }
    }
  }

  /** Looks at the clock, and brings the figures up to date. */
  void tick() {
    long now = nanoTime.getAsLong();
    int allLeases = 0;
    long allBytes = 0;
    List<HandOverState> tied = new ArrayList<>();
    for (EngineSession session : List.copyOf(open.values())) {
      counters.add(
          EngineCount.LEASE_EXPIRED,
          session.expireUnread(now - settings.leaseLifetime().toNanos()));
      if (session.idleSince(now - settings.sessionIdle().toNanos())) {
        LOG.info("Session of {} closed: nobody used it", session.client());
        end(session, EngineCount.SESSION_IDLE);
      } else {
        allLeases += session.leases();
        allBytes += session.leasedBytes();
        if (session.hasLifeline()) {
          tied.add(HandOverState.of(session));
        }
      }
    }
    count = open.size();
    leases = allLeases;
    leasedBytes = allBytes;
    handOvers = List.copyOf(tied);
  }

  /** Ends all. */
  void endAll() {
    List.copyOf(open.values()).forEach(session -> end(session, EngineCount.SESSION_CLOSED));
  }

  int count() {
    return count;
  }

  int leases() {
    return leases;
  }

  long leasedBytes() {
    return leasedBytes;
  }

  List<HandOverState> handOvers() {
    return handOvers;
  }
}
