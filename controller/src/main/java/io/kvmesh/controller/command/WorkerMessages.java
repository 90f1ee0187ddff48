package io.kvmesh.controller.command;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.PrefetchState;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.CompressWorkerRetMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DecompressWorkerRetMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerRetMsg;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.MoveWorkerRetMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerRetMsg;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.common.wire.control.UndrainWorkerMsg;
import io.kvmesh.common.wire.control.WorkerPosition;
import io.kvmesh.controller.command.Command.Chunks;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A command in the messages of LMCache's worker control protocol, and what a reply means. */
final class WorkerMessages {

  private static final int MOST_LEFT_KEPT = 100;

  private WorkerMessages() {}

  /**
   * What is sent to one worker. The event ids are LMCache's; an agent owns pins by them.
   *
   * @param longest that it may take, so that its reply comes in time
   * @param peers where the target of a move or drain is asked for, if one is named; those to reach
   * @param foreign whether it is an LMCache worker: of those "all" is written as they know it
   */
  static ControlRequest request(
      Command command,
      String eventId,
      int rank,
      boolean foreign,
      Duration longest,
      List<String> peers) {
    String targetUrl = peers.isEmpty() ? "" : peers.getFirst();
    return switch (command) {
      case Command.Clear clear -> new ClearWorkerMsg(eventId(eventId, rank), clear.location());
      case Command.Health health -> new HealthWorkerMsg(unique("HealthWorker", rank));
      case Command.Reach reach ->
          new ReachWorkerMsg(unique("ReachWorker", rank), peers, longest.toMillis());
      case Command.Pin pin -> pin(eventId(eventId, rank), pin.location(), pin.chunks(), null);
      case Command.Unpin unpin ->
          pin(eventId(unpin.owner(), rank), unpin.location(), unpin.chunks(), true);
      case Command.Compress compress ->
          new CompressWorkerMsg(
              unique("CompressWorker", rank),
              compress.method(),
              compress.location(),
              tokens(compress.chunks(), foreign),
              compress.chunks().keys());
      case Command.Decompress decompress ->
          new DecompressWorkerMsg(
              unique("DecompressWorker", rank),
              decompress.method(),
              decompress.location(),
              tokens(decompress.chunks(), foreign),
              decompress.chunks().keys());
      case Command.Prefetch prefetch -> prefetch(prefetch, eventId, rank, longest);
      case Command.Drain drain ->
          new DrainWorkerMsg(
              eventId(eventId, rank),
              drain.location(),
              targetUrl.isEmpty() ? null : targetUrl,
              atMost(drain.deadlineMillis(), longest),
              drain.maxBytes());
      case Command.Undrain undrain -> new UndrainWorkerMsg(eventId(eventId, rank));
      case Command.Move move ->
          new MoveWorkerMsg(
              unique("MoveWorker", rank),
              move.location(),
              new WorkerPosition(targetUrl, move.targetLocation()),
              tokens(move.chunks(), foreign),
              move.copy(),
              move.chunks().keys());
    };
  }

  /** The id under which one worker knows a command. */
  static String eventId(String commandId, int rank) {
    return "Worker" + rank + commandId;
  }

  private static PrefetchWorkerMsg prefetch(
      Command.Prefetch prefetch, String commandId, int rank, Duration longest) {
    List<String> keys = prefetch.chunks().keys();
    return new PrefetchWorkerMsg(
        eventId(commandId, rank),
        prefetch.location(),
        prefetch.chunks().tokens(),
        keys == null || prefetch.rank() != null ? keys : ofRank(keys, rank),
        atMost(prefetch.deadlineMillis(), longest));
  }

  private static long atMost(long deadlineMillis, Duration longest) {
    return deadlineMillis == 0 ? longest.toMillis() : Math.min(deadlineMillis, longest.toMillis());
  }

  /** The same chunks of another rank, where the model is split over ranks. */
  private static List<String> ofRank(List<String> keys, int rank) {
    Keyspace named = ChunkKey.parse(keys.getFirst()).keyspace();
    if (named.worldSize() < 2 || named.rank() == rank) {
      return keys;
    }
    Keyspace its = Keyspace.of(named.model(), named.worldSize(), rank, named.dtype(), named.tags());
    return keys.stream()
        .map(key -> new ChunkKey(its, ChunkKey.parse(key).hash()).toString())
        .toList();
  }

  private static PinWorkerMsg pin(
      String owner, String location, Chunks chunks, @Nullable Boolean unpin) {
    List<Long> tokens = chunks.tokens();
    return new PinWorkerMsg(
        owner, location, tokens == null ? List.of() : tokens, chunks.keys(), unpin);
  }

  /** What a request without tokens becomes in LMCache's own controller is the empty list. */
  private static @Nullable List<Long> tokens(Chunks chunks, boolean foreign) {
    return chunks.tokens() == null && foreign ? List.of() : chunks.tokens();
  }

  private static String unique(String prefix, int rank) {
    return prefix + rank + UUID.randomUUID();
  }

  /** How to ask a worker how far a command is; null if it can't be asked. */
  static @Nullable ControlRequest check(Command command, String eventId) {
    return switch (command) {
      case Command.Prefetch p -> new CheckPrefetchWorkerMsg(eventId);
      case Command.Drain d -> new CheckDrainWorkerMsg(eventId);
      default -> null;
    };
  }

  /** How to tell a worker to end a command; null if it can't be told. */
  static @Nullable ControlRequest cancel(Command command, String eventId) {
    return switch (command) {
      case Command.Prefetch p -> new CancelPrefetchWorkerMsg(eventId);
      case Command.Drain d -> new CancelDrainWorkerMsg(eventId);
      default -> null;
    };
  }

  /** What a worker told of a command that isn't over; empty if it told nothing of that. */
  static Optional<ControlReply> soFar(CommandOutcome outcome) {
    return switch (outcome) {
      case CommandOutcome.Replied(PrefetchWorkerRetMsg prefetch) -> Optional.of(prefetch);
      case CommandOutcome.Replied(DrainWorkerRetMsg drain) -> Optional.of(kept(drain));
      default -> Optional.empty();
    };
  }

  /** Tokens that it was done to by then. */
  static long tokens(ControlReply soFar) {
    return switch (soFar) {
      case PrefetchWorkerRetMsg prefetch -> prefetch.numTokens();
      case DrainWorkerRetMsg drain -> drain.numTokens();
      default -> 0;
    };
  }

  /** What the end of the exchange says about the command. */
  static WorkerOutcome outcome(Command command, CommandOutcome outcome) {
    return switch (outcome) {
      case CommandOutcome.Replied(ErrorMsg refusal) ->
          new WorkerOutcome.Refused(refusal.error(), refusal.code());
      case CommandOutcome.Replied(ControlReply reply) -> replied(command, reply);
      case CommandOutcome.TimedOut() -> new WorkerOutcome.TimedOut();
      case CommandOutcome.Undecodable(String reason) -> new WorkerOutcome.Undecodable(reason);
      case CommandOutcome.Unreachable(String reason) -> new WorkerOutcome.Unreachable(reason);
      case CommandOutcome.NotSent(String reason) -> new WorkerOutcome.NotSent(reason);
    };
  }

  private static WorkerOutcome replied(Command command, ControlReply reply) {
    return switch (reply) {
      case ClearWorkerRetMsg clear when command instanceof Command.Clear ->
          new WorkerOutcome.Done(clear.numTokens(), clear);
      case HealthWorkerRetMsg health when command instanceof Command.Health ->
          new WorkerOutcome.Done(0, health);
      case ReachWorkerRetMsg reach when command instanceof Command.Reach ->
          new WorkerOutcome.Done(0, reach);
      case PinWorkerRetMsg pin
          when command instanceof Command.Pin || command instanceof Command.Unpin ->
          new WorkerOutcome.Done(pin.numTokens(), pin);
      case CompressWorkerRetMsg compress when command instanceof Command.Compress ->
          new WorkerOutcome.Done(compress.numTokens(), compress);
      case DecompressWorkerRetMsg decompress when command instanceof Command.Decompress ->
          new WorkerOutcome.Done(decompress.numTokens(), decompress);
      case MoveWorkerRetMsg move when command instanceof Command.Move -> moved(move);
      case PrefetchWorkerRetMsg prefetch when command instanceof Command.Prefetch ->
          prefetched(prefetch);
      case DrainWorkerRetMsg drain when command instanceof Command.Drain -> drained(drain);
      case DrainWorkerRetMsg ended when command instanceof Command.Undrain ->
          new WorkerOutcome.Done(ended.numTokens(), kept(ended));
      default -> new WorkerOutcome.Unexpected(reply.getClass().getSimpleName());
    };
  }

  private static WorkerOutcome prefetched(PrefetchWorkerRetMsg reply) {
    if (reply.state() == PrefetchState.DONE) {
      return new WorkerOutcome.Done(reply.numTokens(), reply);
    }
    String state = reply.state().name().toLowerCase(Locale.ROOT);
    String reason = reply.reason().isEmpty() ? state : state + ": " + reply.reason();
    return new WorkerOutcome.Stopped(reason, reply.numTokens(), reply);
  }

  private static WorkerOutcome drained(DrainWorkerRetMsg drain) {
    DrainWorkerRetMsg kept = kept(drain);
    return drain.stopped() == null
        ? new WorkerOutcome.Done(drain.numTokens(), kept)
        : new WorkerOutcome.Stopped(drain.stopped(), drain.numTokens(), kept);
  }

  private static DrainWorkerRetMsg kept(DrainWorkerRetMsg drain) {
    return new DrainWorkerRetMsg(
        drain.numTokens(),
        drain.epoch(),
        drain.sequence(),
        drain.chunks(),
        drain.bytes(),
        drain.outcomes(),
        drain.targets(),
        first(drain.left()),
        first(drain.leftWhy()),
        drain.stopped());
  }

  private static WorkerOutcome moved(MoveWorkerRetMsg move) {
    MoveWorkerRetMsg kept =
        new MoveWorkerRetMsg(
            move.numTokens(),
            move.epoch(),
            move.sequence(),
            move.outcomes(),
            firstOrNone(move.left()),
            firstOrNone(move.leftWhy()),
            move.stopped());
    return move.stopped() == null
        ? new WorkerOutcome.Done(move.numTokens(), kept)
        : new WorkerOutcome.Stopped(move.stopped(), move.numTokens(), kept);
  }

  private static <T> List<T> first(List<T> left) {
    return left.size() <= MOST_LEFT_KEPT ? left : left.subList(0, MOST_LEFT_KEPT);
  }

  private static <T> @Nullable List<T> firstOrNone(@Nullable List<T> left) {
    return left == null ? null : first(left);
  }
}
