package io.kvmesh.controller.vllm;

import io.kvmesh.common.count.LogLimit;
import io.kvmesh.common.wire.codec.KvEventFrames;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one engine while this controller owns its partition of the log, from where the log says
 * that the former owner was. Belongs to the loop's thread, but for {@link #state}.
 *
 * <p>The engine counts as alive while there is a connection to it. One that is down gets no signs
 * of life on the log, so every view hides it by itself, and in the end it is written off.
 */
final class EngineFollower implements MessageHandler {

  private static final Logger LOG = LoggerFactory.getLogger(EngineFollower.class);

  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

  /** So long without a connection, and the socket is made anew: the name may mean another place. */
  private static final long REMAKE_NANOS = Duration.ofSeconds(10).toNanos();

  private final EngineSettings engine;
  private final EventsSettings settings;
  private final SocketLoop loop;
  private final OwnedView view;
  private final WorkerRegistry registry;
  private final EngineCounts counts;
  private final LongSupplier nanos;
  private final LogLimit logLimit;
  private final EngineLog log;
  private final ReplayClient replay;
  private final BatchStream stream;
  private final byte[] topic;
  private volatile EngineState state = EngineState.ELSEWHERE;

  /** Whether the program's log says so of an outage that still lasts. */
  private boolean toldUnreachable;

  private @Nullable CompletableFuture<Boolean> caughtUp;
  private boolean adopted;
  private long retryNanos;
  private @Nullable ZmqSocket socket;
  private int connections;
  private long connectedNanos;
  private long heardNanos;
  private long nextBeatNanos;
  private boolean positionTold;
  private long lifeEpoch = EngineLog.NO_EPOCH;
  private long lifeRegisteredMillis;

  EngineFollower(
      EngineSettings engine,
      EventsSettings settings,
      SocketLoop loop,
      OwnedView view,
      WorkerRegistry registry,
      EngineLog log,
      EngineCounts counts,
      LongSupplier nanos) {
    this.engine = engine;
    this.settings = settings;
    this.loop = loop;
    this.view = view;
    this.registry = registry;
    this.counts = counts;
    this.nanos = nanos;
    this.logLimit = new LogLimit(nanos);
    this.retryNanos = nanos.getAsLong();
    this.log = log;
    this.replay = new ReplayClient(engine, loop, settings, counts, nanos);
    this.stream = new BatchStream(replay, log, counts, new Backlog(settings.maxQueueBytes()));
    this.topic = engine.topic().getBytes(StandardCharsets.UTF_8);
    replay.answerTo(stream::replayed);
  }

  /** How it stands. Any thread. */
  EngineState state() {
    return state;
  }

  /** Does what is due; to be called every few milliseconds. */
  void tick() {
    long now = nanos.getAsLong();
    if (!view.owns(engine.worker())) {
      stop();
      is(EngineState.ELSEWHERE);
    } else if (!adopted) {
      adopt(now);
    } else {
      follow(now);
    }
  }

  private void is(EngineState now) {
    if (state != now) {
      state = now;
      toldUnreachable &= now != EngineState.FOLLOWING;
      boolean told = now == EngineState.FOLLOWING || now == EngineState.CONFLICT;
      if (told && logLimit.permits()) {
        LOG.info("Engine {} at {}: {}", engine.worker(), engine.endpoint(), now);
      }
    }
  }

  private void stop() {
    adopted = false;
    caughtUp = null;
    close();
  }

  private void close() {
    stream.disconnected();
    ZmqSocket open = socket;
    if (open != null) {
      socket = null;
      loop.close(open);
    }
  }

  /** Reads what the log knows of the engine, once the view has all that the former owner wrote. */
  private void adopt(long now) {
    CompletableFuture<Boolean> wait = caughtUp;
    if (wait == null) {
      is(state == EngineState.CONFLICT ? EngineState.CONFLICT : EngineState.WAITING);
      if (view.ready() && now - retryNanos >= 0) {
        retryNanos = now + RETRY_NANOS;
        caughtUp = view.caughtUp(settings.catchUpTimeout());
      }
    } else if (wait.isDone()) {
      caughtUp = null;
      if (wait.join()) {
        adopt(now, registry.worker(engine.worker()).orElse(null));
      }
    }
  }

  private void adopt(long now, @Nullable WorkerView known) {
    Announcement told = known == null ? null : known.announcement();
    if (told != null && told.kind() != WorkerKind.ENGINE) {
      is(EngineState.CONFLICT);
      return;
    }
    adopted = true;
    retryNanos = now;
    resume(known != null && told != null && engine.hasKeysOf(told) ? known : null);
  }

  private void resume(@Nullable WorkerView known) {
    Announcement told = known == null ? null : known.announcement();
    EnginePosition position = told == null ? null : told.position();
    // A life whose position was never told may have anything.
    log.resume(known == null || position == null ? EngineLog.NO_EPOCH : known.epoch(), position);
    stream.resume(position);
    lifeEpoch = EngineLog.NO_EPOCH;
  }

  private void follow(long now) {
    log.poll();
    if (log.hasFailed() && now - retryNanos >= 0) {
      retryNanos = now + RETRY_NANOS;
      recover();
    }
    watchLife();
    watchConnection(now);
    if (replay.isOverdue()) {
      stream.replayFailed();
    }
    stream.tick();
    probe(now);
    beat(now);
  }

  /** What the log didn't take is asked for again. */
  private void recover() {
    EnginePosition position = log.position();
    log.resume(position == null ? EngineLog.NO_EPOCH : log.epoch(), position);
    stream.resume(position);
    if (isConnected()) {
      stream.connected();
    }
  }

  /**
   * A life that was written off, or that another life has followed, isn't in the index any more.
   */
  private void watchLife() {
    WorkerView known = registry.worker(engine.worker()).orElse(null);
    long epoch = log.epoch();
    if (known == null || epoch == EngineLog.NO_EPOCH || known.epoch() < epoch) {
      return;
    }
    if (known.epoch() > epoch) {
      stop();
    } else if (lifeEpoch != epoch) {
      lifeEpoch = epoch;
      lifeRegisteredMillis = known.registeredMillis();
    } else if (known.registeredMillis() != lifeRegisteredMillis) {
      resume(null);
      if (isConnected()) {
        stream.connected();
      }
    }
  }

  private boolean isConnected() {
    ZmqSocket open = socket;
    return open != null && open.isConnected();
  }

  private void watchConnection(long now) {
    if (!adopted) {
      return;
    }
    ZmqSocket open = socket;
    if (open == null) {
      open(now);
    } else if (open.connections() != connections) {
      connections = open.connections();
      heardNanos = now;
      stream.connected();
    }
    if (isConnected()) {
      connectedNanos = now;
      is(stream.isFollowing() ? EngineState.FOLLOWING : EngineState.CATCHING_UP);
      return;
    }
    is(EngineState.UNREACHABLE);
    stream.disconnected();
    if (now - connectedNanos > REMAKE_NANOS) {
      close();
      connectedNanos = now;
      if (!toldUnreachable) {
        toldUnreachable = true;
        LOG.warn("Engine {} can't be reached at {}", engine.worker(), engine.endpoint());
      }
    }
  }

  private void open(long now) {
    if (now - retryNanos < 0) {
      return;
    }
    retryNanos = now + RETRY_NANOS;
    connectedNanos = now;
    connections = 0;
    try {
      ZmqSocket made = loop.connect(SocketKind.SUB, engine.endpoint(), settings.sockets(), this);
      made.subscribe(topic);
      socket = made;
    } catch (IOException e) {
      if (logLimit.permits()) {
        LOG.warn("Engine {}: {}", engine.worker(), e.getMessage());
      }
    }
  }

  /** An engine that says nothing may have said something that didn't come. */
  private void probe(long now) {
    if (now - heardNanos > settings.heartbeatInterval().toNanos()) {
      heardNanos = now;
      stream.probe();
    }
  }

  private void beat(long now) {
    boolean tellPosition = log.position() != null && !positionTold;
    if (log.position() == null) {
      positionTold = false;
    }
    if (!isConnected() || !stream.isFollowing()) {
      nextBeatNanos = now;
    } else if (now - nextBeatNanos >= 0 || tellPosition) {
      nextBeatNanos = now + settings.heartbeatInterval().toNanos();
      positionTold = log.position() != null;
      log.heartbeat();
    }
  }

  @Override
  public void onMessage(ZmqSocket from, Multipart message) {
    try {
      if (from == socket && adopted) {
        long now = nanos.getAsLong();
        watchConnection(now);
        heardNanos = now;
        stream.published(
            KvEventFrames.published(message.frames().stream().map(Frame::toArray).toList()));
      }
    } catch (WireFormatException e) {
      counts.garbage().refuse(message, e.getMessage());
    } finally {
      message.release();
    }
  }
}
