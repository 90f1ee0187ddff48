package io.kvmesh.agent.directory;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.directory.FullSyncCommand;
import io.kvmesh.common.wire.directory.HeartbeatCommand;
import io.kvmesh.common.wire.directory.HeartbeatMsg;
import io.kvmesh.common.wire.directory.HeartbeatRetMsg;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a heartbeat to one controller after another, from the start on and whether or not there is
 * work, and passes on what they answer. One thread of its own.
 */
public final class HeartbeatSender implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);

  private final ControllerDirectory directory;
  private final Supplier<HeartbeatMsg> heartbeat;
  private final HeartbeatListener listener;
  private final Duration interval;
  private final Counters<DirectoryCount> counters;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("heartbeat").factory());
  private @Nullable ScheduledFuture<?> running;
  private int turn;

  /**
   * Assigns only.
   *
   * @param heartbeat what this worker says of itself now
   */
  public HeartbeatSender(
      ControllerDirectory directory,
      Supplier<HeartbeatMsg> heartbeat,
      HeartbeatListener listener,
      Duration interval,
      Counters<DirectoryCount> counters) {
    this.directory = directory;
    this.heartbeat = heartbeat;
    this.listener = listener;
    this.interval = interval;
    this.counters = counters;
  }

  /** Sends the first one now. */
  public void start() {
    if (directory.controllers() > 0) {
      running = thread.scheduleAtFixedRate(this::beat, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Sends no more. */
  @Override
  public void close() {
    if (running != null) {
      running.cancel(true);
    }
    thread.shutdownNow();
  }

  private void beat() {
    try {
      Exchange exchange = directory.heartbeat(turn++, heartbeat.get(), interval);
      if (exchange instanceof Exchange.Answered answer
          && answer.reply() instanceof HeartbeatRetMsg reply) {
        counters.count(DirectoryCount.HEARTBEAT);
        pass(reply);
      } else {
        counters.count(DirectoryCount.HEARTBEAT_FAILED);
        LOG.debug("No controller takes the heartbeat: {}", exchange);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      counters.count(DirectoryCount.HEARTBEAT_FAILED);
      LOG.error("A heartbeat failed", e);
    }
  }

  private void pass(HeartbeatRetMsg reply) {
    Long epoch = reply.epoch();
    if (epoch != null) {
      listener.epochSeen(epoch);
    }
    for (HeartbeatCommand command : reply.commands()) {
      switch (command) {
        case FullSyncCommand sync -> {
          counters.count(DirectoryCount.SNAPSHOT_WANTED);
          listener.snapshotWanted(sync.reason() == null ? "asked for" : sync.reason());
        }
      }
    }
  }
}
