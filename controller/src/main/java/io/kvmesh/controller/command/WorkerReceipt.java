package io.kvmesh.controller.command;

import io.kvmesh.common.key.WorkerId;
import org.jspecify.annotations.Nullable;

/**
 * What one worker did about a command.
 *
 * @param tokens dropped; 0 unless done
 * @param chunks dropped, where the worker tells it
 * @param epoch of the worker, where it tells it
 * @param sequence of the last event that tells of the drop: the index has it when a barrier on it
 *     is answered
 * @param error why it isn't done; null if it is
 */
public record WorkerReceipt(
    WorkerId worker,
    Status status,
    long tokens,
    @Nullable Long chunks,
    @Nullable Long epoch,
    @Nullable Long sequence,
    @Nullable String error) {

  /** How it ended. */
  public enum Status {
    /** The worker has done it. */
    DONE,
    /** The worker said no. */
    REFUSED,
    /** No answer in time; the worker may have done it. */
    TIMED_OUT,
    /** The command did not reach the worker, or its answer made no sense. */
    FAILED
  }

  static WorkerReceipt failed(WorkerId worker, Status status, String error) {
    return new WorkerReceipt(worker, status, 0, null, null, null, error);
  }
}
