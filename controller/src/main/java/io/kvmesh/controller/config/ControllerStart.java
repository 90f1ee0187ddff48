package io.kvmesh.controller.config;

import io.kvmesh.common.process.ParentWatch;
import io.kvmesh.controller.command.ZmqWorkerCommandClient;
import io.kvmesh.controller.ingest.LogIngest;
import io.kvmesh.controller.lmcache.DirectoryFront;
import io.kvmesh.controller.ops.MismatchWatch;
import io.kvmesh.controller.vllm.EngineEvents;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts what has threads, before HTTP is served. When the program ends HTTP goes first,
 * gracefully, and then each part is closed by the container.
 */
final class ControllerStart implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(ControllerStart.class);

  private final ControllerSettings settings;
  private final LogIngest ingest;
  private final DirectoryFront front;
  private final ZmqWorkerCommandClient commands;
  private final EngineEvents engines;
  private final MismatchWatch mismatches;
  private final ScheduledExecutorService housekeeping =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("housekeeping").factory());
  private volatile boolean running;

  ControllerStart(
      ControllerSettings settings,
      LogIngest ingest,
      DirectoryFront front,
      ZmqWorkerCommandClient commands,
      EngineEvents engines,
      MismatchWatch mismatches) {
    this.settings = settings;
    this.ingest = ingest;
    this.front = front;
    this.commands = commands;
    this.engines = engines;
    this.mismatches = mismatches;
  }

  @Override
  public void start() {
    if (settings.parentPid() > 0) {
      ParentWatch.start(settings.parentPid());
    }
    ingest.start();
    commands.start();
    try {
      front.start();
    } catch (IOException e) {
      throw new DoorException(String.valueOf(e.getMessage()), e);
    }
    engines.start();
    long periodMillis = settings.liveness().heartbeatInterval().toMillis();
    var unused =
        housekeeping.scheduleWithFixedDelay(
            mismatches, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    running = true;
    LOG.info(
        "Controller of cluster {}: pull port {}, reply port {}, heartbeat port {}",
        settings.cluster(),
        front.pullPort(),
        front.replyPort(),
        front.heartbeatPort());
  }

  @Override
  public void stop() {
    housekeeping.shutdownNow();
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before the HTTP server starts, which is the last to start and the first to stop. */
  @Override
  public int getPhase() {
    return 0;
  }
}
