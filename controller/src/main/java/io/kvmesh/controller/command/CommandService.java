package io.kvmesh.controller.command;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.ErrorMsg;
import io.kvmesh.common.wire.control.ReachWorkerRetMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.command.CommandCounts.Refusal;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Carries an operator's commands to all workers of an instance at once, silent ones too, and keeps
 * what became of them. A receipt says what the workers did; the index changes only when their own
 * events arrive. Any thread.
 *
 * <p>A foreign worker gets one message at a time, as it reads but one; so does an agent of moves
 * and drains. What comes meanwhile waits for its turn. A command is over within twice its timeout.
 */
public final class CommandService {

  private static final int MOST_WAITING = 4096;

  /** There is nobody to reach. */
  private static final WorkerOutcome NO_PEERS =
      new WorkerOutcome.Done(0, new ReachWorkerRetMsg(List.of()));

  private final WorkerRegistry registry;
  private final WorkerCommandClient client;
  private final CommandSettings settings;
  private final CommandCounts counts;
  private final CommandLog log;
  private final Trail trail;
  private final LastingCommands lasting;
  private final WorkerLanes lanes =
      new WorkerLanes(ZmqWorkerCommandClient.MAX_AT_A_TIME, MOST_WAITING);

  public CommandService(
      WorkerRegistry registry,
      WorkerCommandClient client,
      CommandSettings settings,
      CommandCounts counts,
      Trail trail,
      InstantSource clock) {
    this.registry = registry;
    this.client = client;
    this.settings = settings;
    this.counts = counts;
    this.trail = trail;
    this.log =
        new CommandLog(
            new CommandLog.Limits(settings.maxRunning(), settings.maxKept(), settings.keepFor()),
            clock);
    this.lasting = new LastingCommands(log, client, settings.timeout());
  }

  /**
   * Begins a command.
   *
   * @param id by which it can be asked for, no command's yet; null = one is made
   */
  public Submission submit(Command command, @Nullable String id) {
    Submission submission = consider(command, id);
    String refusal = refusal(submission);
    if (refusal != null) {
      trail.add(Kind.REFUSED, command.instanceId(), null, command.kind() + ": " + refusal);
    }
    return submission;
  }

  /** Why it was refused; null if it wasn't. */
  private static @Nullable String refusal(Submission submission) {
    return switch (submission) {
      case Submission.UnknownInstance unknown -> "no worker of " + unknown.instanceId();
      case Submission.UnknownRank unknown -> "no rank " + unknown.rank();
      case Submission.Impossible impossible -> impossible.reason();
      case Submission.Duplicate duplicate -> "there is one of the id " + duplicate.id();
      case Submission.Overloaded full -> full.running() + " are under way";
      case Submission.Accepted _ -> null;
    };
  }

  private Submission consider(Command command, @Nullable String id) {
    List<WorkerView> workers = workersOf(command.instanceId());
    if (workers.isEmpty()) {
      counts.refused(Refusal.UNKNOWN_INSTANCE);
      return new Submission.UnknownInstance(command.instanceId(), false);
    }
    Integer rank = command.rank();
    if (rank != null) {
      workers = workers.stream().filter(worker -> worker.id().rank() == rank).toList();
      if (workers.isEmpty()) {
        counts.refused(Refusal.UNKNOWN_INSTANCE);
        return new Submission.UnknownRank(command.instanceId(), rank);
      }
    }
    String target = command.targetInstanceId();
    return target == null
        ? begin(command, id, workers, List.of())
        : submit(command, id, workers, target);
  }

  private Submission submit(
      Command command, @Nullable String id, List<WorkerView> workers, String target) {
    List<WorkerView> targets = workersOf(target);
    if (targets.isEmpty()) {
      counts.refused(Refusal.UNKNOWN_INSTANCE);
      return new Submission.UnknownInstance(target, true);
    }
    if (command instanceof Command.Drain) {
      targets = ofSameRanks(workers, targets);
    }
    String reason = impossible(command, workers.size(), targets.size());
    if (reason != null) {
      counts.refused(Refusal.IMPOSSIBLE);
      return new Submission.Impossible(reason);
    }
    return begin(command, id, workers, targets);
  }

  private static List<WorkerView> ofSameRanks(List<WorkerView> workers, List<WorkerView> targets) {
    return targets.stream()
        .filter(target -> workers.stream().anyMatch(it -> it.id().rank() == target.id().rank()))
        .toList();
  }

  private List<WorkerView> workersOf(String instanceId) {
    return registry.workers().stream()
        .filter(worker -> worker.id().instanceId().equals(instanceId))
        .sorted(Comparator.comparingInt(worker -> worker.id().rank()))
        .toList();
  }

  private static @Nullable String impossible(Command command, int sources, int targets) {
    boolean elsewhere =
        command instanceof Command.Move move && !move.targetLocation().equals(move.location());
    if (command.instanceId().equals(command.targetInstanceId()) && !elsewhere) {
      return "the target is the source itself, " + command.instanceId();
    }
    return sources == targets
        ? null
        : "chunks go from rank to rank, and %s has %d of them where %s has %d"
            .formatted(command.instanceId(), sources, command.targetInstanceId(), targets);
  }

  private Submission begin(
      Command command, @Nullable String given, List<WorkerView> workers, List<WorkerView> targets) {
    String id = given == null ? command.kind() + UUID.randomUUID() : given;
    List<WorkerId> ids = workers.stream().map(WorkerView::id).toList();
    return switch (log.begin(id, command, ids)) {
      case DUPLICATE -> {
        counts.refused(Refusal.DUPLICATE);
        yield new Submission.Duplicate(id);
      }
      case FULL -> {
        counts.refused(Refusal.OVERLOADED);
        yield new Submission.Overloaded(settings.maxRunning());
      }
      case BEGUN -> new Submission.Accepted(id, dispatch(command, id, workers, targets));
    };
  }

  private CompletableFuture<CommandView> dispatch(
      Command command, String id, List<WorkerView> workers, List<WorkerView> targets) {
    trail.add(Kind.COMMAND, command.instanceId(), null, command.kind() + " began: " + id);
    lasting.begin(id, command, workers);
    List<CompletableFuture<Void>> ends = new ArrayList<>(workers.size());
    for (int i = 0; i < workers.size(); i++) {
      WorkerView worker = workers.get(i);
      WorkerView target = targets.isEmpty() ? null : targets.get(i);
      ends.add(ask(command, id, worker, target).thenAccept(end -> note(id, worker.id(), end)));
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
        .thenApply(all -> end(id));
  }

  private CommandView end(String id) {
    CommandView view = log.end(id);
    lasting.end(view);
    trail.add(
        Kind.COMMAND,
        view.instanceId(),
        null,
        "%s is over: %s, %s".formatted(view.kind(), view.id(), view.state()));
    return view;
  }

  private void note(String id, WorkerId worker, WorkerOutcome outcome) {
    counts.ended(outcome);
    log.note(id, worker, outcome);
  }

  private CompletableFuture<WorkerOutcome> ask(
      Command command, String id, WorkerView worker, @Nullable WorkerView target) {
    Announcement told = worker.announcement();
    if (told == null) {
      return CompletableFuture.completedFuture(unregistered(worker.id()));
    }
    boolean foreign = told.kind() == WorkerKind.FOREIGN;
    WorkerOutcome refusal = foreign ? notForForeign(command) : notForEngine(told);
    List<String> peers = List.of();
    if (refusal == null && target != null) {
      Announcement there = target.announcement();
      String url = there == null || there.peerInitUrl() == null ? "" : there.peerInitUrl();
      refusal = impossibleTarget(told, target.id(), there, url);
      peers = List.of(url);
    }
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    if (command instanceof Command.Reach) {
      peers = PeersToReach.of(worker, registry.workers());
      if (peers.isEmpty()) {
        return CompletableFuture.completedFuture(NO_PEERS);
      }
    }
    int rank = worker.id().rank();
    ControlRequest request =
        WorkerMessages.request(command, id, rank, foreign, settings.longest(command), peers);
    return exchange(command, id, worker.id(), told, request)
        .thenApply(outcome -> WorkerMessages.outcome(command, outcome));
  }

  private CompletableFuture<CommandOutcome> exchange(
      Command command, String id, WorkerId worker, Announcement told, ControlRequest request) {
    Duration timeout = settings.timeout(command);
    return lanes.run(
        lane(command, worker, told.kind()),
        timeout,
        () ->
            lasting.isCancelled(id)
                ? CompletableFuture.completedFuture(
                    new CommandOutcome.NotSent("it was cancelled before its turn came"))
                : client.send(told.ip(), told.port(), request, timeout));
  }

  private static Object lane(Command command, WorkerId worker, WorkerKind kind) {
    boolean oneAtATime =
        kind == WorkerKind.FOREIGN
            || command instanceof Command.Move
            || command instanceof Command.Drain;
    return oneAtATime ? worker : new Object();
  }

  private static WorkerOutcome unregistered(WorkerId worker) {
    return new WorkerOutcome.Unregistered(
        "Worker %d not registered for instance %s: its address is not known yet"
            .formatted(worker.rank(), worker.instanceId()));
  }

  /** What an LMCache worker would take for something else. */
  private static @Nullable WorkerOutcome notForForeign(Command command) {
    if (command instanceof Command.Unpin) {
      return new WorkerOutcome.Refused("an LMCache worker can't unpin", null);
    }
    if (command instanceof Command.Prefetch) {
      return new WorkerOutcome.Refused("an LMCache worker can't prefetch", null);
    }
    if (command instanceof Command.Drain) {
      return new WorkerOutcome.Refused("an LMCache worker can't drain; move its chunks", null);
    }
    if (command instanceof Command.Undrain) {
      return new WorkerOutcome.Refused("an LMCache worker is never drained", null);
    }
    if (command instanceof Command.Reach) {
      return new WorkerOutcome.Refused("an LMCache worker can't try its peers", null);
    }
    Command.Chunks chunks =
        switch (command) {
          case Command.Pin pin -> pin.chunks();
          case Command.Move move -> move.chunks();
          case Command.Compress compress -> compress.chunks();
          case Command.Decompress decompress -> decompress.chunks();
          default -> Command.Chunks.ALL;
        };
    return chunks.keys() == null
        ? null
        : new WorkerOutcome.Refused(
            "an LMCache worker knows chunks by tokens, not by keys", ErrorMsg.BAD_REQUEST);
  }

  private static @Nullable WorkerOutcome notForEngine(Announcement told) {
    return told.kind() == WorkerKind.ENGINE
        ? new WorkerOutcome.Refused("an engine is only listened to, it takes no commands", null)
        : null;
  }

  private static @Nullable WorkerOutcome impossibleTarget(
      Announcement source, WorkerId target, @Nullable Announcement there, String url) {
    if (url.isEmpty() || there == null) {
      return new WorkerOutcome.Refused("the target " + target + " has no peer address", null);
    }
    return there.kind() == source.kind()
        ? null
        : new WorkerOutcome.Refused(
            "an LMCache worker and an agent can't exchange chunks; the target is " + target,
            ErrorMsg.BAD_REQUEST);
  }

  /** A command that is under way, or was over lately. */
  public Optional<CommandView> find(String id) {
    return log.find(id);
  }

  /** The same; of a prefetch or drain that is under way its workers are asked first. */
  public CompletableFuture<Optional<CommandView>> progress(String id) {
    return lasting.askForProgress(id).thenApply(asked -> log.find(id));
  }

  /**
   * Tells a prefetch or drain to end.
   *
   * @return completes when it has; empty if none of that id is under way
   */
  public Optional<CompletableFuture<CommandView>> cancel(String id) {
    return lasting.cancel(id);
  }

  /** All of them, the latest begun first. */
  public List<CommandView> list() {
    return log.list();
  }

  /** Number of those under way. */
  public int running() {
    return log.running();
  }
}
