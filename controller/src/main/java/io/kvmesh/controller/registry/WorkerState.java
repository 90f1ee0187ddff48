package io.kvmesh.controller.registry;

/** What may be expected of a worker's entries in the index. */
public enum WorkerState {
  /** Heard of lately; its keys are right as far as the log tells. */
  LIVE,
  /** Heard of lately; some of its keys may be wrong. It is still offered, and a snapshot is due. */
  SUSPECT,
  /** Not heard of for too long; not offered, its keys are kept. */
  SILENT;

  /** Whether lookups offer the worker. */
  public boolean isOffered() {
    return this != SILENT;
  }
}
