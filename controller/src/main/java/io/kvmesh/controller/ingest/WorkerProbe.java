package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import java.util.concurrent.CompletableFuture;

/** Asks a foreign worker that sends no heartbeats whether it lives. Any thread. */
@FunctionalInterface
public interface WorkerProbe {

  /** Whether it answered; within a bounded time, never exceptionally. */
  CompletableFuture<Boolean> isAlive(WorkerId worker, Announcement announcement);
}
