package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.DecodeLimits;
import io.kvmesh.common.wire.codec.KvEventCodec;
import io.kvmesh.common.zmq.SocketLoop;
import io.kvmesh.common.zmq.ZmqSockets;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import java.time.Duration;
import java.util.List;

/**
 * Listens to the engines that are configured, on one thread. Every controller has the same list;
 * each engine is followed by the one that owns its worker's partition of the log, which is one at a
 * time and changes when a controller comes or goes. Writes nothing to the index: what an engine
 * tells goes to the log, and so to every controller.
 */
public final class EngineEvents implements AutoCloseable {

  private static final int MAX_QUEUED_TASKS = 100;
  private static final Duration TICK = Duration.ofMillis(20);

  private final SocketLoop loop;
  private final List<EngineFollower> followers;

  /** Assigns only; see {@link #start}. */
  public EngineEvents(
      EventsSettings settings,
      ZmqSockets sockets,
      OwnedView view,
      WorkerRegistry registry,
      EventLogWriter log,
      EngineCounts counts) {
    this.loop = new SocketLoop("vllm-events", sockets, MAX_QUEUED_TASKS);
    KvEventCodec codec = codec(settings.sockets().maxFrameBytes());
    this.followers =
        settings.engines().stream()
            .map(
                engine ->
                    new EngineFollower(
                        engine,
                        settings,
                        loop,
                        view,
                        registry,
                        new EngineLog(engine, log, counts, codec),
                        counts,
                        System::nanoTime))
            .toList();
  }

  private static KvEventCodec codec(long maxBytes) {
    DecodeLimits usual = DecodeLimits.DEFAULT;
    return new KvEventCodec(
        new DecodeLimits(
            Math.clamp(maxBytes, 1, Integer.MAX_VALUE), usual.maxElements(), usual.maxDepth()));
  }

  /** Begins; no engine need be up. Without engines there is no thread. */
  public void start() {
    if (followers.isEmpty()) {
      return;
    }
    followers.forEach(follower -> loop.every(TICK, follower::tick));
    loop.start();
  }

  /** Number of engines of which it stands so. */
  public long engines(EngineState state) {
    return followers.stream().filter(follower -> follower.state() == state).count();
  }

  @Override
  public void close() {
    loop.close();
  }
}
