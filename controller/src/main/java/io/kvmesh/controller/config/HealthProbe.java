package io.kvmesh.controller.config;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.command.CommandOutcome;
import io.kvmesh.controller.command.WorkerCommandClient;
import io.kvmesh.controller.registry.WorkerProbe;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Asks a worker for its health at its control port: any reply, a bad one too, is one of a worker.
 */
final class HealthProbe implements WorkerProbe {

  private final WorkerCommandClient client;
  private final Duration timeout;

  HealthProbe(WorkerCommandClient client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  @Override
  public CompletableFuture<Boolean> isAlive(WorkerId worker, Announcement announcement) {
    var question = new HealthWorkerMsg("HealthWorker" + worker.rank() + UUID.randomUUID());
    return client
        .send(announcement.ip(), announcement.port(), question, timeout)
        .thenApply(CommandOutcome.Replied.class::isInstance);
  }
}
