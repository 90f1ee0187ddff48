package io.kvmesh.controller.registry;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import java.util.concurrent.CompletableFuture;

/** Asks whoever listens at a worker's control port for its health. Any thread. */
@FunctionalInterface
public interface WorkerProbe {

  /** Whether somebody answered; within a bounded time, never exceptionally. */
  CompletableFuture<Boolean> isAlive(WorkerId worker, Announcement announcement);
}
