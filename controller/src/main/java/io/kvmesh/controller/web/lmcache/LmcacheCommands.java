package io.kvmesh.controller.web.lmcache;

import io.kvmesh.controller.command.Command;
import io.kvmesh.controller.command.CommandView;
import io.kvmesh.controller.command.Submission;
import io.kvmesh.controller.command.WorkerOutcome;
import io.kvmesh.controller.command.WorkerResult;
import io.kvmesh.controller.web.CommandDesk;
import io.kvmesh.controller.web.CommandJson;
import io.kvmesh.controller.web.CommandStatus;
import io.kvmesh.controller.web.Problems;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Commands as LMCache's users give them. The answer comes when all workers have done it; a number
 * of tokens is answered only if it is the same at all of them, as in LMCache. Otherwise the answer
 * says what each worker did: 502, or 400 or 404 where all say that the request is to blame.
 *
 * <p>Each body may have an {@code event_id}, by which {@code /check_finish} can be asked meanwhile;
 * without it one is made.
 */
@RestController
public final class LmcacheCommands {

  private static final int ERROR_REPLY = -1001;
  private static final int UNEXPECTED_REPLY = -1002;
  private static final int UNDECODABLE_REPLY = -1003;
  private static final int NO_REPLY = -1004;
  private static final int NOT_ASKED = -1005;

  private final CommandDesk desk;

  public LmcacheCommands(CommandDesk desk) {
    this.desk = desk;
  }

  @LmcacheBody
  record ClearRequest(
      @Nullable String eventId, @Nullable String instanceId, @Nullable String location) {}

  @LmcacheBody
  record PinRequest(
      @Nullable String eventId,
      @Nullable String instanceId,
      @Nullable String location,
      @Nullable List<@Nullable Long> tokens) {}

  /** Without tokens all chunks are meant. */
  @LmcacheBody
  record CompressRequest(
      @Nullable String eventId,
      @Nullable String instanceId,
      @Nullable String method,
      @Nullable String location,
      @Nullable List<@Nullable Long> tokens) {}

  /**
   * Positions are an instance and a location; without tokens all chunks are meant.
   *
   * @param copy the older name of shouldCopy
   */
  @LmcacheBody
  record MoveRequest(
      @Nullable String eventId,
      @Nullable List<@Nullable String> oldPosition,
      @Nullable List<@Nullable String> newPosition,
      @Nullable List<@Nullable Long> tokens,
      @Nullable Boolean shouldCopy,
      @Nullable Boolean copy) {

    boolean copies() {
      return Boolean.TRUE.equals(shouldCopy == null ? copy : shouldCopy);
    }
  }

  @LmcacheBody
  record HealthRequest(@Nullable String eventId, @Nullable String instanceId) {}

  @LmcacheBody
  record CheckFinishRequest(@Nullable String eventId) {}

  @LmcacheBody
  record TokensAnswer(String eventId, long numTokens) {}

  /** Codes by rank. */
  @LmcacheBody
  record HealthAnswer(String eventId, Map<Integer, Integer> errorCodes) {}

  @LmcacheBody
  record CheckFinishAnswer(String status) {}

  @PostMapping("/clear")
  CompletableFuture<TokensAnswer> clear(@RequestBody ClearRequest it) {
    return run(new Command.Clear(instance(it.instanceId), location(it.location)), it.eventId);
  }

  @PostMapping("/pin")
  CompletableFuture<TokensAnswer> pin(@RequestBody PinRequest it) {
    return run(
        new Command.Pin(
            instance(it.instanceId), location(it.location), desk.requiredTokens(it.tokens)),
        it.eventId);
  }

  @PostMapping("/compress")
  CompletableFuture<TokensAnswer> compress(@RequestBody CompressRequest it) {
    return run(
        new Command.Compress(
            instance(it.instanceId),
            CommandDesk.required("method", it.method),
            location(it.location),
            desk.chunks(it.tokens, null)),
        it.eventId);
  }

  @PostMapping("/decompress")
  CompletableFuture<TokensAnswer> decompress(@RequestBody CompressRequest it) {
    return run(
        new Command.Decompress(
            instance(it.instanceId),
            CommandDesk.required("method", it.method),
            location(it.location),
            desk.chunks(it.tokens, null)),
        it.eventId);
  }

  @PostMapping("/move")
  CompletableFuture<TokensAnswer> move(@RequestBody MoveRequest it) {
    List<String> from = position("old_position", it.oldPosition);
    List<String> to = position("new_position", it.newPosition);
    return run(
        new Command.Move(
            from.getFirst(),
            from.getLast(),
            to.getFirst(),
            to.getLast(),
            desk.chunks(it.tokens, null),
            it.copies()),
        it.eventId);
  }

  private static List<String> position(String field, @Nullable List<@Nullable String> position) {
    if (position == null || position.size() != 2) {
      throw Problems.badRequest(field, position, "must be an instance and a location");
    }
    return List.of(
        CommandDesk.required(field + "[0]", position.getFirst()),
        CommandDesk.required(field + "[1]", position.getLast()));
  }

  @PostMapping("/health")
  CompletableFuture<HealthAnswer> health(@RequestBody HealthRequest it) {
    return begin(new Command.Health(instance(it.instanceId)), it.eventId)
        .end()
        .thenApply(LmcacheCommands::health);
  }

  private static HealthAnswer health(CommandView end) {
    Map<Integer, Integer> codes = new LinkedHashMap<>();
    for (WorkerResult result : end.workers()) {
      codes.put(result.worker().rank(), code(result.outcome()));
    }
    return new HealthAnswer(end.id(), codes);
  }

  /** LMCache's codes, and two of ours below them. */
  private static int code(@Nullable WorkerOutcome outcome) {
    return switch (outcome) {
      case WorkerOutcome.Done done -> CommandJson.health(done);
      case WorkerOutcome.Refused r -> ERROR_REPLY;
      case WorkerOutcome.Unexpected u -> UNEXPECTED_REPLY;
      case WorkerOutcome.Undecodable u -> UNDECODABLE_REPLY;
      case WorkerOutcome.TimedOut t -> NO_REPLY;
      case WorkerOutcome.Unreachable u -> NO_REPLY;
      case WorkerOutcome.Stopped s -> UNEXPECTED_REPLY;
      case WorkerOutcome.Unregistered u -> NOT_ASKED;
      case WorkerOutcome.NotSent n -> NOT_ASKED;
      case null -> NOT_ASKED;
    };
  }

  /** Asks for a command by its event id: {@code running}, {@code finished} or {@code failed}. */
  @PostMapping("/check_finish")
  CheckFinishAnswer checkFinish(@RequestBody CheckFinishRequest it) {
    String id = CommandDesk.requireId("event_id", it.eventId);
    CommandView view = desk.find(id).orElseThrow(() -> Problems.notFound("event_id", id));
    return new CheckFinishAnswer(
        switch (view.state()) {
          case RUNNING -> "running";
          case DONE -> "finished";
          case PARTIAL, FAILED -> "failed";
        });
  }

  private static String instance(@Nullable String instanceId) {
    return CommandDesk.required("instance_id", instanceId);
  }

  private static String location(@Nullable String location) {
    return CommandDesk.required("location", location);
  }

  private Submission.Accepted begin(Command command, @Nullable String eventId) {
    return desk.submit(
        command, eventId == null ? null : CommandDesk.requireId("event_id", eventId));
  }

  private CompletableFuture<TokensAnswer> run(Command command, @Nullable String eventId) {
    return begin(command, eventId).end().thenApply(LmcacheCommands::tokens);
  }

  private static TokensAnswer tokens(CommandView end) {
    if (end.state() != CommandView.State.DONE) {
      throw failed(end, "not all workers did it");
    }
    List<Long> tokens = end.workers().stream().map(LmcacheCommands::tokens).distinct().toList();
    if (tokens.size() != 1) {
      throw failed(end, "all workers did it, to different numbers of tokens");
    }
    return new TokensAnswer(end.id(), tokens.getFirst());
  }

  private static long tokens(WorkerResult result) {
    WorkerOutcome outcome = result.outcome();
    return outcome == null ? 0 : outcome.tokens();
  }

  private static ErrorResponseException failed(CommandView end, String reason) {
    String details =
        end.workers().stream().map(LmcacheCommands::text).collect(Collectors.joining("; "));
    HttpStatus status =
        end.state() == CommandView.State.FAILED ? CommandStatus.of(end) : HttpStatus.BAD_GATEWAY;
    return Problems.of(
        status,
        reason + ": " + details,
        Map.of("event_id", end.id(), "workers", CommandJson.workers(end)));
  }

  private static String text(WorkerResult result) {
    WorkerOutcome outcome = result.outcome();
    String error = outcome == null ? "not known" : outcome.error();
    return result.worker() + ": " + (error == null ? tokens(result) + " tokens" : error);
  }
}
