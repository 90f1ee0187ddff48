package io.kvmesh.controller.web;

import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.WorkerOutcome;
import io.kvmesh.controller.command.WorkerResult;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command, as answers show it. Times are this controller's, in milliseconds since 1970.
 *
 * @param command its kind in lower case
 * @param targetInstanceId of a move
 * @param tokens that it was done to, over all workers
 * @param finishedMillis null while it is under way
 */
public record CommandJson(
    String id,
    String command,
    String instanceId,
    @Nullable String targetInstanceId,
    CommandView.State state,
    long tokens,
    long startedMillis,
    @Nullable Long finishedMillis,
    List<WorkerJson> workers) {

  static CommandJson of(CommandView view) {
    return new CommandJson(
        view.id(),
        view.kind().toLowerCase(Locale.ROOT),
        view.instanceId(),
        view.targetInstanceId(),
        view.state(),
        view.tokens(),
        view.startedMillis(),
        view.finishedMillis() < 0 ? null : view.finishedMillis(),
        workers(view));
  }

  /** Its workers, by rank. */
  public static List<WorkerJson> workers(CommandView view) {
    return view.workers().stream().map(WorkerJson::of).toList();
  }

  /** The code that a worker answered when asked how it is. */
  public static int health(WorkerOutcome.Done done) {
    return done.reply() instanceof HealthWorkerRetMsg(int code) ? code : 0;
  }

  /**
   * What one worker did. What it did not tell is null.
   *
   * @param status null while it isn't known
   * @param error why it isn't done
   * @param code by which the worker tells the reason
   * @param errorCode that it answered when asked how it is; 0 is good
   * @param refused chunks that it did not pin, since too many are
   * @param sequence of the last event that tells of it: the index has it when a barrier on it is
   *     answered
   * @param outcomes of a move: how many chunks, by what became of them
   * @param left of a move: keys of the first chunks that aren't at the target
   */
  public record WorkerJson(
      int rank,
      WorkerOutcome.@Nullable Kind status,
      long tokens,
      @Nullable String error,
      @Nullable String code,
      @Nullable Integer errorCode,
      @Nullable Long chunks,
      @Nullable Long refused,
      @Nullable Long epoch,
      @Nullable Long sequence,
      @Nullable Map<MoveOutcome, Integer> outcomes,
      @Nullable List<String> left,
      @Nullable List<MoveOutcome> leftWhy) {

    static WorkerJson of(WorkerResult result) {
      int rank = result.worker().rank();
      WorkerOutcome outcome = result.outcome();
      if (outcome == null) {
        return bare(rank, null, 0, null, null);
      }
      String code = outcome instanceof WorkerOutcome.Refused refused ? refused.code() : null;
      WorkerJson bare = bare(rank, outcome.kind(), outcome.tokens(), outcome.error(), code);
      ControlReply told = outcome.told();
      return told == null ? bare : bare.with(told);
    }

    private static WorkerJson bare(
        int rank,
        WorkerOutcome.@Nullable Kind status,
        long tokens,
        @Nullable String error,
        @Nullable String code) {
      return new WorkerJson(
          rank, status, tokens, error, code, null, null, null, null, null, null, null, null);
    }

    private WorkerJson with(ControlReply told) {
      return switch (told) {
        case HealthWorkerRetMsg(int health) ->
            new WorkerJson(
                rank, status, tokens, error, code, health, null, null, null, null, null, null,
                null);
        case ClearWorkerRetMsg clear ->
            new WorkerJson(
                rank,
                status,
                tokens,
                error,
                code,
                null,
                clear.numChunks(),
                null,
                clear.epoch(),
                clear.sequence(),
                null,
                null,
                null);
        case PinWorkerRetMsg pin ->
            new WorkerJson(
                rank,
                status,
                tokens,
                error,
                code,
                null,
                pin.numChunks(),
                pin.refused(),
                null,
                null,
                null,
                null,
                null);
        case MoveWorkerRetMsg move ->
            new WorkerJson(
                rank,
                status,
                tokens,
                error,
                code,
                null,
                null,
                null,
                move.epoch(),
                move.sequence(),
                move.outcomes(),
                move.left(),
                move.leftWhy());
        default -> this;
      };
    }
  }
}
