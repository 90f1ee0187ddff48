package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** How far this controller's view of the log is. Any thread. */
public interface LogView {

  /** Whether the view has been whole once: before, an unknown worker may just not be read yet. */
  boolean ready();

  /**
   * Waits until all is applied that the log had at the moment of the call.
   *
   * @return whether it is, within the time given; never fails
   */
  CompletableFuture<Boolean> caughtUp(Duration timeout);

  /** Whether the view needs a list of all that the worker holds. */
  boolean snapshotWanted(WorkerId worker);
}
