package io.kvmesh.controller.lmcache;

import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.DecodeLimits;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.DrainLookup;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.registry.WorkerProbe;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that LMCache workers and agents use: PULL for one-way messages, ROUTER for requests,
 * ROUTER for heartbeats alone, each with a thread of its own so that a flood on one does not delay
 * the others; any may be left out. Writes nothing to the index: what changes something goes to the
 * log.
 */
public final class DirectoryFront implements AutoCloseable {

  private static final int MAX_QUEUED_TASKS = 10_000;
  private static final Duration TICK = Duration.ofMillis(10);

  private final FrontSettings settings;
  private final SocketLoop pullLoop;
  private final SocketLoop replyLoop;
  private final SocketLoop heartbeatLoop;
  private final Clashes clashes;
  private final PullDoor pullDoor;
  private final ReplyDoor replyDoor;
  private final ReplyDoor heartbeatDoor;
  private @Nullable ZmqSocket pull;
  private @Nullable ZmqSocket reply;
  private @Nullable ZmqSocket heartbeat;

  /** Assigns only; see {@link #start}. */
  public DirectoryFront(
      FrontSettings settings,
      ZmqSockets sockets,
      HolderLookup lookup,
      DrainLookup drains,
      Barrier barrier,
      LogView view,
      WorkerRegistry registry,
      WorkerProbe probe,
      EventLogWriter log,
      Traces traces,
      FrontCounts counts) {
    this.settings = settings;
    MessageCodec codec = codec(settings);
    this.pullLoop = new SocketLoop("front-pull", sockets, MAX_QUEUED_TASKS);
    this.replyLoop = new SocketLoop("front-reply", sockets, MAX_QUEUED_TASKS);
    this.heartbeatLoop = new SocketLoop("front-heartbeat", sockets, MAX_QUEUED_TASKS);
    var workers = new ForeignWorkers(log, registry, counts);
    var conflicts = new Conflicts(registry, view, settings.holdFor(), counts);
    this.pullDoor =
        new PullDoor(
            new FrameReader(codec, counts, FrontCounts.Door.PULL),
            new PushHandler(workers, registry, conflicts, view, settings, counts),
            counts,
            log::hasRoom,
            pullLoop);
    var url =
        new HeartbeatUrl(settings, this::heartbeatPort, this::replyPort, HeartbeatUrl::ownAddress);
    this.clashes =
        new Clashes(workers, registry, view, probe, settings.claimWait(), counts, System::nanoTime);
    var fullSyncs = new FullSyncs(workers, registry, view, settings);
    var requests =
        new RequestHandler(
            lookup,
            drains,
            barrier,
            new Registration(workers, registry, conflicts, clashes, url::extraConfig),
            new Heartbeats(
                workers, registry, view, conflicts, clashes, fullSyncs, settings.holdFor()),
            fullSyncs,
            traces,
            counts,
            settings.maxWait());
    int most = settings.maxInFlight();
    this.replyDoor =
        new ReplyDoor(FrontCounts.Door.REPLY, replyLoop, codec, requests, counts, most);
    this.heartbeatDoor =
        new ReplyDoor(FrontCounts.Door.HEARTBEAT, heartbeatLoop, codec, requests, counts, most);
  }

  private static MessageCodec codec(FrontSettings settings) {
    DecodeLimits usual = DecodeLimits.DEFAULT;
    return new MessageCodec(
        new DecodeLimits(
            Math.clamp(settings.sockets().maxFrameBytes(), 1, Integer.MAX_VALUE),
            usual.maxElements(),
            usual.maxDepth()));
  }

  /**
   * Opens the sockets that have an endpoint.
   *
   * @throws IOException if an endpoint is taken
   */
  public void start() throws IOException {
    pullLoop.every(TICK, pullDoor::tick);
    replyLoop.every(TICK, clashes::tick);
    pull = open(pullLoop, SocketKind.PULL, settings.pullBind(), pullDoor);
    heartbeat = open(heartbeatLoop, SocketKind.ROUTER, settings.heartbeatBind(), heartbeatDoor);
    reply = open(replyLoop, SocketKind.ROUTER, settings.replyBind(), replyDoor);
  }

  private @Nullable ZmqSocket open(
      SocketLoop loop, SocketKind kind, String endpoint, MessageHandler door) throws IOException {
    if (endpoint.isEmpty()) {
      return null;
    }
    loop.start();
    return loop.bind(kind, endpoint, settings.sockets(), door);
  }

  /** The PULL's port; 0 before the start and where there is none. */
  public int pullPort() {
    return port(pull);
  }

  /** The ROUTER's port; 0 before the start and where there is none. */
  public int replyPort() {
    return port(reply);
  }

  /** The port for heartbeats alone; 0 before the start and where there is none. */
  public int heartbeatPort() {
    return port(heartbeat);
  }

  private static int port(@Nullable ZmqSocket socket) {
    return socket == null ? 0 : socket.port();
  }

  /** Closes the sockets, at most as long as given each; requests that wait get no reply. */
  public void close(Duration timeout) {
    pullLoop.close(timeout);
    heartbeatLoop.close(timeout);
    replyLoop.close(timeout);
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
