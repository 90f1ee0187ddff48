package io.kvmesh.controller.command;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ControlReply;
import org.jspecify.annotations.Nullable;

/**
 * A command at one worker.
 *
 * @param outcome null while it isn't known
 * @param soFar what a prefetch or drain that isn't over told when it was asked last; null = nothing
 */
public record WorkerResult(
    WorkerId worker, @Nullable WorkerOutcome outcome, @Nullable ControlReply soFar) {

  /** What the worker told, at the end or meanwhile; null if it told nothing. */
  public @Nullable ControlReply told() {
    return outcome == null ? soFar : outcome.told();
  }

  /** Tokens that it was done to by now. */
  public long tokens() {
    if (outcome != null) {
      return outcome.tokens();
    }
    return soFar == null ? 0 : WorkerMessages.tokens(soFar);
  }
}
