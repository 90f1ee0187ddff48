package io.kvmesh.controller.command;

import java.util.List;

/** What the workers of an instance did about a clear, by rank. */
public record ClearReceipt(String instanceId, String location, List<WorkerReceipt> workers) {

  /** Copies the collection. */
  public ClearReceipt {
    workers = List.copyOf(workers);
  }

  /** Number of workers that have done it. */
  public long done() {
    return workers.stream().filter(worker -> worker.status() == WorkerReceipt.Status.DONE).count();
  }

  /** Whether all have. */
  public boolean complete() {
    return done() == workers.size();
  }

  /** Tokens dropped in all. */
  public long tokens() {
    return workers.stream().mapToLong(WorkerReceipt::tokens).sum();
  }
}
