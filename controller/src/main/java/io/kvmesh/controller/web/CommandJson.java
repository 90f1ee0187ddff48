package io.kvmesh.controller.web;

import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PeerReach;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.WorkerOutcome;
import io.kvmesh.controller.command.WorkerResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command, as answers show it. Times are this controller's, in milliseconds since 1970.
 *
 * @param command its kind in lower case
 * @param targetInstanceId of a move, or of a drain that names one
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
    return done.reply() instanceof HealthWorkerRetMsg health ? health.errorCode() : 0;
  }

  /**
   * What one worker did. What it did not tell is null.
   *
   * @param status null while it isn't known
   * @param error why it isn't done
   * @param code by which the worker tells the reason
   * @param errorCode that it answered when asked how it is; 0 is good
   * @param certificates that it works with, as it told when asked how it is
   * @param peers that it tried to reach, and what came of it
   * @param refused chunks that it did not pin, since too many are
   * @param sequence of the last event that tells of it: the index has it when a barrier on it is
   *     answered
   * @param outcomes of a move, drain, compress, decompress or prefetch, of drain and prefetch also
   *     meanwhile: how many chunks, by what became of them
   * @param bytesBefore of compress and decompress: what the bodies of chunks were long before
   * @param bytesAfter what they are long now
   * @param bytes of a drain: how long the bodies are that are at targets
   * @param targets of a drain: addresses of those that took some
   * @param left of a move or drain: keys of the first chunks that aren't at a target
   */
  public record WorkerJson(
      int rank,
      WorkerOutcome.@Nullable Kind status,
      long tokens,
      @Nullable String error,
      @Nullable String code,
      @Nullable Integer errorCode,
      @Nullable List<WorkerCertificate> certificates,
      @Nullable List<PeerReach> peers,
      @Nullable Long chunks,
      @Nullable Long refused,
      @Nullable Long epoch,
      @Nullable Long sequence,
      @Nullable Map<String, Integer> outcomes,
      @Nullable Long bytesBefore,
      @Nullable Long bytesAfter,
      @Nullable Long bytes,
      @Nullable List<String> targets,
      @Nullable List<String> left,
      @Nullable List<MoveOutcome> leftWhy) {

    static WorkerJson of(WorkerResult result) {
      WorkerOutcome outcome = result.outcome();
      ControlReply told = result.told();
      return new WorkerJson(
          result.worker().rank(),
          outcome == null ? null : outcome.kind(),
          result.tokens(),
          outcome == null ? null : outcome.error(),
          outcome instanceof WorkerOutcome.Refused refused ? refused.code() : null,
          told instanceof HealthWorkerRetMsg health ? health.errorCode() : null,
          told instanceof HealthWorkerRetMsg health ? health.certificates() : null,
          told instanceof ReachWorkerRetMsg(List<PeerReach> peers) ? peers : null,
          chunks(told),
          told instanceof PinWorkerRetMsg pin ? pin.refused() : null,
          epoch(told),
          sequence(told),
          outcomes(told),
          bytesBefore(told),
          bytesAfter(told),
          told instanceof DrainWorkerRetMsg drain ? drain.bytes() : null,
          told instanceof DrainWorkerRetMsg drain ? drain.targets() : null,
          left(told),
          leftWhy(told));
    }

    private static @Nullable Long chunks(@Nullable ControlReply told) {
      return switch (told) {
        case ClearWorkerRetMsg clear -> clear.numChunks();
        case PinWorkerRetMsg pin -> pin.numChunks();
        case CompressWorkerRetMsg compress -> compress.numChunks();
        case DecompressWorkerRetMsg decompress -> decompress.numChunks();
        case DrainWorkerRetMsg drain -> drain.chunks();
        case null, default -> null;
      };
    }

    private static @Nullable List<String> left(@Nullable ControlReply told) {
      return switch (told) {
        case MoveWorkerRetMsg move -> move.left();
        case DrainWorkerRetMsg drain -> drain.left();
        case null, default -> null;
      };
    }

    private static @Nullable List<MoveOutcome> leftWhy(@Nullable ControlReply told) {
      return switch (told) {
        case MoveWorkerRetMsg move -> move.leftWhy();
        case DrainWorkerRetMsg drain -> drain.leftWhy();
        case null, default -> null;
      };
    }

    private static @Nullable Long epoch(@Nullable ControlReply told) {
      return switch (told) {
        case ClearWorkerRetMsg clear -> clear.epoch();
        case MoveWorkerRetMsg move -> move.epoch();
        case PrefetchWorkerRetMsg prefetch -> prefetch.epoch();
        case DrainWorkerRetMsg drain -> drain.epoch();
        case null, default -> null;
      };
    }

    private static @Nullable Long sequence(@Nullable ControlReply told) {
      return switch (told) {
        case ClearWorkerRetMsg clear -> clear.sequence();
        case MoveWorkerRetMsg move -> move.sequence();
        case PrefetchWorkerRetMsg prefetch -> prefetch.sequence();
        case DrainWorkerRetMsg drain -> drain.sequence();
        case null, default -> null;
      };
    }

    private static @Nullable Map<String, Integer> outcomes(@Nullable ControlReply told) {
      return switch (told) {
        case MoveWorkerRetMsg move -> byName(move.outcomes());
        case PrefetchWorkerRetMsg prefetch -> byName(prefetch.outcomes());
        case DrainWorkerRetMsg drain -> byName(drain.outcomes());
        case CompressWorkerRetMsg compress -> byName(compress.outcomes());
        case DecompressWorkerRetMsg decompress -> byName(decompress.outcomes());
        case null, default -> null;
      };
    }

    private static @Nullable Map<String, Integer> byName(
        @Nullable Map<? extends Enum<?>, Integer> outcomes) {
      if (outcomes == null) {
        return null;
      }
      Map<String, Integer> named = new LinkedHashMap<>();
      outcomes.forEach((outcome, chunks) -> named.put(outcome.name(), chunks));
      return named;
    }

    private static @Nullable Long bytesBefore(@Nullable ControlReply told) {
      return switch (told) {
        case CompressWorkerRetMsg compress -> compress.bytesBefore();
        case DecompressWorkerRetMsg decompress -> decompress.bytesBefore();
        case null, default -> null;
      };
    }

    private static @Nullable Long bytesAfter(@Nullable ControlReply told) {
      return switch (told) {
        case CompressWorkerRetMsg compress -> compress.bytesAfter();
        case DecompressWorkerRetMsg decompress -> decompress.bytesAfter();
        case null, default -> null;
      };
    }
  }
}
