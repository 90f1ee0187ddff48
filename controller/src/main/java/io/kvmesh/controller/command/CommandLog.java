package io.kvmesh.controller.command;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.control.ControlReply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The commands under way and those that were over lately, by id. Both are bounded: more under way
 * are refused, of those that are over the oldest go. Any thread.
 */
final class CommandLog {

  /**
   * How many are kept, and for how long.
   *
   * @param maxRunning commands under way at a time
   * @param maxKept commands that are over
   * @param keepFor counted from their end
   */
  record Limits(int maxRunning, int maxKept, Duration keepFor) {}

  private final Limits limits;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<String, CommandView> running = new LinkedHashMap<>();

  /** In the order in which they ended. */
  @GuardedBy("lock")
  private final Map<String, CommandView> over = new LinkedHashMap<>();

  CommandLog(Limits limits, InstantSource clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /** Whether a command may begin. */
  enum Entry {
    BEGUN,
    DUPLICATE,
    FULL
  }

  Entry begin(String id, Command command, List<WorkerId> workers) {
    List<WorkerResult> results =
        workers.stream().map(worker -> new WorkerResult(worker, null, null)).toList();
    lock.lock();
    try {
      dropOld();
      if (running.containsKey(id) || over.containsKey(id)) {
        return Entry.DUPLICATE;
      }
      if (running.size() >= limits.maxRunning) {
        return Entry.FULL;
      }
      running.put(
          id,
          new CommandView(
              id,
              command.kind(),
              command.instanceId(),
              command.targetInstanceId(),
              clock.millis(),
              -1,
              results));
      return Entry.BEGUN;
    } finally {
      lock.unlock();
    }
  }

  /** Notes one worker's outcome. */
  void note(String id, WorkerId worker, WorkerOutcome outcome) {
    lock.lock();
    try {
      WorkerResult result = new WorkerResult(worker, outcome, null);
      running.computeIfPresent(id, (key, view) -> with(view, result));
    } finally {
      lock.unlock();
    }
  }

  /** Notes how far one worker is, unless its outcome is known. */
  void noteSoFar(String id, WorkerId worker, ControlReply soFar) {
    lock.lock();
    try {
      WorkerResult result = new WorkerResult(worker, null, soFar);
      running.computeIfPresent(id, (key, view) -> isOpen(view, worker) ? with(view, result) : view);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the worker's outcome isn't known yet. */
  boolean isOpen(String id, WorkerId worker) {
    lock.lock();
    try {
      CommandView view = running.get(id);
      return view != null && isOpen(view, worker);
    } finally {
      lock.unlock();
    }
  }

  private static boolean isOpen(CommandView view, WorkerId worker) {
    return view.workers().stream()
        .anyMatch(result -> result.worker().equals(worker) && result.outcome() == null);
  }

  private static CommandView with(CommandView view, WorkerResult changed) {
    List<WorkerResult> results = new ArrayList<>(view.workers());
    results.replaceAll(result -> result.worker().equals(changed.worker()) ? changed : result);
    return new CommandView(
        view.id(),
        view.kind(),
        view.instanceId(),
        view.targetInstanceId(),
        view.startedMillis(),
        view.finishedMillis(),
        results);
  }

  /** Ends it; its last state. */
  CommandView end(String id) {
    lock.lock();
    try {
      CommandView view = running.remove(id);
      if (view == null) {
        throw new IllegalStateException("no such command is under way: " + id);
      }
      CommandView ended =
          new CommandView(
              view.id(),
              view.kind(),
              view.instanceId(),
              view.targetInstanceId(),
              view.startedMillis(),
              clock.millis(),
              view.workers());
      over.put(id, ended);
      dropOld();
      return ended;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void dropOld() {
    long oldest = clock.millis() - limits.keepFor.toMillis();
    Iterator<CommandView> views = over.values().iterator();
    while (views.hasNext()) {
      CommandView view = views.next();
      if (over.size() <= limits.maxKept && view.finishedMillis() >= oldest) {
        return;
      }
      views.remove();
    }
  }

  Optional<CommandView> find(String id) {
    lock.lock();
    try {
      dropOld();
      return Optional.ofNullable(running.get(id)).or(() -> Optional.ofNullable(over.get(id)));
    } finally {
      lock.unlock();
    }
  }

  /** All, the latest begun first. */
  List<CommandView> list() {
    lock.lock();
    try {
      dropOld();
      List<CommandView> all = new ArrayList<>(over.values());
      all.addAll(running.values());
      all.sort((one, other) -> Long.compare(other.startedMillis(), one.startedMillis()));
      return all;
    } finally {
      lock.unlock();
    }
  }

  int running() {
    lock.lock();
    try {
      return running.size();
    } finally {
      lock.unlock();
    }
  }
}
