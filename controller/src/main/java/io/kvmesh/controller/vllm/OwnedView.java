package io.kvmesh.controller.vllm;

import io.kvmesh.common.key.WorkerId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What must be known of this controller's view of the log. Any thread. */
public interface OwnedView {

  /** Whether the view has been whole once. */
  boolean ready();

  /**
   * Waits until all is applied that the log had at the moment of the call.
   *
   * @return whether it is, within the time given; never fails
   */
  CompletableFuture<Boolean> caughtUp(Duration timeout);

  /** Whether this controller is the one that acts for the worker. */
  boolean owns(WorkerId worker);
}
