package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.PrefixPuller;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineErrorMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.PeerId;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native door: msgpack messages on a ROUTER. One thread owns the socket, the sessions and their
 * leases; what may take time runs on a thread of its own, so many at once at most, and hands its
 * outcome back. Every message gets one reply.
 *
 * <p>Retrieved bodies are sent from the cache's pages without a copy. They are right as long as the
 * lease is: a client releases a lease when it has read all replies that name it. A client that went
 * away is noticed by its connection, and a session that is idle for much longer than the
 * connection's heartbeats has been sent all there was.
 */
public final class NativeDoor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NativeDoor.class);

  private static final Duration TICK = Duration.ofMillis(50);
  private static final int SPARE_TASKS = 1024;
  private static final int CLOSE_SECONDS = 5;

  private final LocalPeer self;
  private final EngineSettings settings;
  private final MessageCodec codec;
  private final Counters<EngineCount> counters;
  private final SocketLoop loop;
  private final EnginePins pins;
  private final EngineSessions sessions;
  private final EngineWork work;
  private final RefusedFrames refused;
  private final LongSupplier nanoTime;
  private final Semaphore mayWork;
  private final Thread.Builder workers = Thread.ofVirtual().name("engine-", 0);
  private volatile boolean closing;
  private volatile int port;

  /** Assigns only. */
  public NativeDoor(
      LocalPeer self,
      EngineSettings settings,
      ChunkCache cache,
      LocalLookupCache directory,
      PrefixPuller puller,
      ZmqSockets sockets,
      MessageCodec codec,
      Counters<EngineCount> counters,
      LongSupplier nanoTime) {
    this.self = self;
    this.settings = settings;
    this.codec = codec;
    this.counters = counters;
    this.loop = new SocketLoop("engine-door", sockets, settings.maxRequests() + SPARE_TASKS);
    this.pins = new EnginePins(cache.pins(), settings.maxKeys(), counters);
    this.sessions = new EngineSessions(settings, pins, counters, nanoTime);
    this.refused = new RefusedFrames("engine", nanoTime);
    this.nanoTime = nanoTime;
    this.mayWork = new Semaphore(settings.maxRequests());
    EngineApi api = new EngineApi(cache, directory, puller);
    this.work = new EngineWork(api, settings, self.epoch(), counters, nanoTime);
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
      port =
          loop.bind(SocketKind.ROUTER, settings.bind(), settings.sockets(), new Requests()).port();
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
    closing = true;
    loop.execute(sessions::endAll);
    loop.close();
    awaitWork();
  }

  /** The work was interrupted; it ends at its next wait, or with the chunk that it copies. */
  private void awaitWork() {
    try {
      if (mayWork.tryAcquire(settings.maxRequests(), CLOSE_SECONDS, TimeUnit.SECONDS)) {
        mayWork.release(settings.maxRequests());
      } else {
        LOG.warn("{} requests of the engine still run", atWork());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Open sessions. */
  public int sessions() {
    return sessions.count();
  }

  /** Leases of all sessions. */
  public int leases() {
    return sessions.leases();
  }

  /** Bytes that they hold. */
  public long leasedBytes() {
    return sessions.leasedBytes();
  }

  /** Requests at work. */
  public int atWork() {
    return settings.maxRequests() - mayWork.availablePermits();
  }

  /** Frames that were refused. */
  public RefusedFrames refusedFrames() {
    return refused;
  }

  /** A piece of work. */
  private interface Job {
    Outcome run() throws EngineFault, InterruptedException;
  }

  /** Takes requests. */
  private final class Requests implements MessageHandler {

    @Override
    public void onMessage(ZmqSocket socket, Multipart message) {
      boolean handedOn = false;
      try {
        Envelope.Content content = Envelope.splitRouted(message);
        handedOn = decode(socket, message, content);
      } catch (EnvelopeException e) {
        refused.refuse(message, e.getMessage());
        counters.count(EngineCount.BAD_REQUEST);
      } finally {
        if (!handedOn) {
          message.release();
        }
      }
    }

    @Override
    public void onPeerGone(ZmqSocket socket, PeerId peer) {
      sessions.gone(peer);
    }

    /** Answers whether the message's bodies are in use by a piece of work. */
    private boolean decode(ZmqSocket socket, Multipart message, Envelope.Content content) {
      Envelope envelope = content.envelope();
      try {
        EngineRequest request = codec.decode(EngineRequest.class, content.payload());
        return dispatch(socket, envelope, request, message, content.body());
      } catch (WireFormatException e) {
        refused.refuse(message, e.getMessage());
        EngineFault fault = EngineFault.badRequest(String.valueOf(e.getMessage()));
        send(socket, envelope, failed(fault), List.of());
      } catch (EngineFault e) {
        send(socket, envelope, failed(e), List.of());
      }
      return false;
    }

    private boolean dispatch(
        ZmqSocket socket,
        Envelope envelope,
        EngineRequest request,
        Multipart message,
        List<Frame> bodies)
        throws EngineFault {
      if (closing) {
        throw new EngineFault(EngineErrorCode.CLOSING, "this agent is closing");
      }
      PeerId peer = envelope.peer();
      switch (request) {
        case OpenSessionMsg open -> send(socket, envelope, open(peer, open), List.of());
        case CloseSessionMsg close -> {
          int chunks =
              sessions.end(sessions.find(peer, close.sessionId()), EngineCount.SESSION_CLOSED);
          send(socket, envelope, new CloseSessionRetMsg(chunks), List.of());
        }
        case EngineReleaseMsg release -> {
          int chunks = sessions.find(peer, release.sessionId()).release(release.leaseId());
          counters.count(EngineCount.RELEASE);
          send(socket, envelope, new EngineReleaseRetMsg(chunks), List.of());
        }
        case EnginePinMsg pin ->
            send(socket, envelope, pins.pin(sessions.find(peer, pin.sessionId()), pin), List.of());
        case EngineUnpinMsg unpin ->
            send(
                socket,
                envelope,
                pins.unpin(sessions.find(peer, unpin.sessionId()), unpin),
                List.of());
        case EngineLookupMsg lookup -> {
          EngineSession session = sessions.find(peer, lookup.sessionId());
          if (lookup.lease()) {
            session.requireRoom(0);
          }
          begin(socket, envelope, session, 0, () -> work.lookup(lookup), null);
        }
        case EngineRetrieveMsg retrieve -> {
          EngineSession session = sessions.find(peer, retrieve.sessionId());
          session.requireRoom(retrieve.leaseId());
          begin(socket, envelope, session, retrieve.leaseId(), () -> work.retrieve(retrieve), null);
        }
        case EngineStoreMsg store -> {
          EngineSession session = sessions.find(peer, store.sessionId());
          if (store.hold()) {
            session.requireRoom(store.leaseId());
          }
          begin(
              socket, envelope, session, store.leaseId(), () -> work.store(store, bodies), message);
          return true;
        }
      }
      return false;
    }

    private OpenSessionRetMsg open(PeerId peer, OpenSessionMsg open) throws EngineFault {
      EngineSession session = sessions.open(peer, open.client());
      return new OpenSessionRetMsg(
          session.id(), self.epoch().getAsLong(), self.pageBytes(), self.chunkTokens());
    }

    /** Runs the job on a thread of its own, then finishes it on this one. */
    private void begin(
        ZmqSocket socket,
        Envelope envelope,
        EngineSession session,
        long leaseId,
        Job job,
        @Nullable Multipart release)
        throws EngineFault {
      session.requireLease(leaseId);
      if (!mayWork.tryAcquire()) {
        throw EngineFault.overloaded("%d requests are at work".formatted(settings.maxRequests()));
      }
      Thread thread =
          workers.unstarted(
              () -> {
                Object result = run(job, release);
                Thread self = Thread.currentThread();
                if (!loop.execute(() -> finish(socket, envelope, session, leaseId, self, result))) {
                  drop(result);
                }
              });
      session.began(thread);
      thread.start();
    }

    /** An Outcome or an EngineErrorMsg. */
    private Object run(Job job, @Nullable Multipart release) {
      try {
        return job.run();
      } catch (EngineFault e) {
        return failed(e);
      } catch (InterruptedException e) {
        return failed(new EngineFault(EngineErrorCode.CLOSING, "the session has ended"));
      } catch (RuntimeException | Error e) {
        LOG.error("A request of the engine failed", e);
        return failed(new EngineFault(EngineErrorCode.INTERNAL, e.getClass().getSimpleName()));
      } finally {
        if (release != null) {
          release.release();
        }
      }
    }

    private void drop(Object result) {
      mayWork.release();
      if (result instanceof Outcome outcome) {
        outcome.drop();
      }
    }

    private void finish(
        ZmqSocket socket,
        Envelope envelope,
        EngineSession session,
        long leaseId,
        Thread thread,
        Object result) {
      session.finished(thread, nanoTime.getAsLong());
      if (result instanceof Outcome outcome) {
        finish(socket, envelope, session, leaseId, outcome);
      } else {
        send(socket, envelope, (EngineErrorMsg) result, List.of());
      }
      mayWork.release();
    }

    private void finish(
        ZmqSocket socket, Envelope envelope, EngineSession session, long leaseId, Outcome outcome) {
      long kept = 0;
      try {
        if (session.hasEnded()) {
          throw new EngineFault(EngineErrorCode.UNKNOWN_SESSION, "the session has ended");
        }
        session.requireLease(leaseId);
        if (outcome.held() != null) {
          kept = session.keep(leaseId, outcome.held(), outcome.read(), nanoTime.getAsLong());
        }
      } catch (EngineFault e) {
        outcome.drop();
        send(socket, envelope, failed(e), List.of());
        return;
      }
      SendOutcome sent = send(socket, envelope, outcome.reply().apply(kept), outcome.bodies());
      if (sent != SendOutcome.SENT && kept != 0 && leaseId == 0) {
        session.drop(kept);
      }
    }

    private EngineErrorMsg failed(EngineFault fault) {
      counters.count(
          switch (fault.code()) {
            case BAD_REQUEST -> EngineCount.BAD_REQUEST;
            case UNKNOWN_SESSION, UNKNOWN_LEASE -> EngineCount.UNKNOWN;
            case OVERLOADED -> EngineCount.OVERLOADED;
            case CLOSING -> EngineCount.CLOSING;
            case INTERNAL -> EngineCount.FAILED;
          });
      return fault.reply();
    }

    private SendOutcome send(
        ZmqSocket socket, Envelope envelope, EngineReply reply, List<Frame> bodies) {
      SendOutcome outcome = socket.send(envelope.with(codec.encode(reply), bodies));
      if (outcome != SendOutcome.SENT) {
        counters.count(EngineCount.REPLY_LOST);
      }
      return outcome;
    }
  }
}
