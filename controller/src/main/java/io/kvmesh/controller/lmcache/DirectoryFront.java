package io.kvmesh.controller.lmcache;

import io.kvmesh.common.wire.codec.DecodeLimits;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.SocketKind;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSocket;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.lookup.Barrier;
import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that LMCache workers and agents use: PULL for one-way messages, ROUTER for requests,
 * each with a thread of its own so that a flood on one does not delay the other. Writes nothing to
 * the index: what changes something goes to the log.
 */
public final class DirectoryFront implements AutoCloseable {

  private static final int MAX_QUEUED_TASKS = 10_000;
  private static final Duration TICK = Duration.ofMillis(10);

  private final FrontSettings settings;
  private final SocketLoop pullLoop;
  private final SocketLoop replyLoop;
  private final PushHandler pushes;
  private final PullDoor pullDoor;
  private final ReplyDoor replyDoor;
  private @Nullable ZmqSocket pull;
  private @Nullable ZmqSocket reply;

  /** Assigns only; see {@link #start}. */
  public DirectoryFront(
      FrontSettings settings,
      ZmqSockets sockets,
      HolderLookup lookup,
      Barrier barrier,
      LogView view,
      WorkerRegistry registry,
      EventLogWriter log,
      FrontCounts counts) {
    this.settings = settings;
    DecodeLimits usual = DecodeLimits.DEFAULT;
    var codec =
        new MessageCodec(
            new DecodeLimits(
                Math.clamp(settings.sockets().maxFrameBytes(), 1, Integer.MAX_VALUE),
                usual.maxElements(),
                usual.maxDepth()));
    this.pullLoop = new SocketLoop("front-pull", sockets, MAX_QUEUED_TASKS);
    this.replyLoop = new SocketLoop("front-reply", sockets, MAX_QUEUED_TASKS);
    var workers = new ForeignWorkers(log, registry, counts);
    var conflicts = new Conflicts(counts);
    this.pushes = new PushHandler(workers, registry, view, settings, counts);
    this.pullDoor =
        new PullDoor(new FrameReader(codec, counts, FrontCounts.Door.PULL), pushes, counts);
    var requests =
        new RequestHandler(
            lookup,
            barrier,
            new Registration(workers, registry, conflicts, this::extraConfig),
            new Heartbeats(workers, registry, view, conflicts),
            settings.maxWait());
    this.replyDoor =
        new ReplyDoor(
            replyLoop,
            new FrameReader(codec, counts, FrontCounts.Door.REPLY),
            codec,
            requests,
            counts,
            settings.maxInFlight());
  }

  /**
   * Opens the sockets.
   *
   * @throws IOException if an endpoint is taken
   */
  public void start() throws IOException {
    pullLoop.every(TICK, pushes::tick);
    pullLoop.start();
    replyLoop.start();
    pull = pullLoop.bind(SocketKind.PULL, settings.pullBind(), settings.sockets(), pullDoor);
    reply = replyLoop.bind(SocketKind.ROUTER, settings.replyBind(), settings.sockets(), replyDoor);
  }

  /** The PULL's port; 0 before the start. */
  public int pullPort() {
    return pull == null ? 0 : pull.port();
  }

  /** The ROUTER's port; 0 before the start. */
  public int replyPort() {
    return reply == null ? 0 : reply.port();
  }

  private Map<String, String> extraConfig() {
    return settings.advertisedHost().isEmpty()
        ? Map.of()
        : Map.of("heartbeat_url", settings.advertisedHost() + ":" + replyPort());
  }

  /** Closes both sockets, at most as long as given; requests that wait get no reply. */
  public void close(Duration timeout) {
    pullLoop.close(timeout);
    replyLoop.close(timeout);
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
