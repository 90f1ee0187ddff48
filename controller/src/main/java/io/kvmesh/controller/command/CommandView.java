package io.kvmesh.controller.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command as of one moment. Times are this machine's, in milliseconds since 1970.
 *
 * @param kind the prefix of ids of its kind
 * @param instanceId whose workers are asked
 * @param targetInstanceId of a move, or of a drain that names one; null otherwise
 * @param finishedMillis −1 = it isn't over
 * @param workers by rank
 */
public record CommandView(
    String id,
    String kind,
    String instanceId,
    @Nullable String targetInstanceId,
    long startedMillis,
    long finishedMillis,
    List<WorkerResult> workers) {

  /** How far a command is. */
  public enum State {
    /** Some worker's outcome is not known yet. */
    RUNNING,
    /** All workers have done it. */
    DONE,
    /** Some have. */
    PARTIAL,
    /** None has. */
    FAILED
  }

  /** Copies the collection. */
  public CommandView {
    workers = List.copyOf(workers);
  }

  /** How far it is. */
  public State state() {
    if (finishedMillis < 0) {
      return State.RUNNING;
    }
    long done = count(WorkerOutcome.Kind.DONE);
    if (done == workers.size()) {
      return State.DONE;
    }
    return done + count(WorkerOutcome.Kind.STOPPED) > 0 ? State.PARTIAL : State.FAILED;
  }

  /** Tokens that it was done to, over all workers. */
  public long tokens() {
    return workers.stream().mapToLong(WorkerResult::tokens).sum();
  }

  private long count(WorkerOutcome.Kind kind) {
    return workers.stream()
        .map(WorkerResult::outcome)
        .filter(outcome -> outcome != null && outcome.kind() == kind)
        .count();
  }
}
