package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.DirectoryMessage;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages of workers that the view doesn't know, in order per worker, bounded in all. One wait for
 * the view runs at a time; it decides about every message that arrived before it began. Those of a
 * worker that is known by then are delivered as fast as the log has room for them.
 *
 * <p>Owned by one thread, which calls {@link #tick} every few milliseconds.
 */
final class HeldMessages {

  private final BiPredicate<WorkerId, DirectoryMessage> deliver;
  private final BooleanSupplier room;
  private final LogView view;
  private final FrontSettings settings;
  private final FrontCounts counts;
  private final Map<WorkerId, Queue<Held>> byWorker = new LinkedHashMap<>();
  private int size;
  private long arrivals;
  private @Nullable Wait wait;

  /** Why messages of a worker still wait. */
  private enum Waiting {
    NONE,
    WORKER_UNKNOWN,
    LOG_FULL
  }

  /**
   * @param deliver false if the worker still isn't known
   * @param room whether the log has room for another message
   */
  HeldMessages(
      BiPredicate<WorkerId, DirectoryMessage> deliver,
      BooleanSupplier room,
      LogView view,
      FrontSettings settings,
      FrontCounts counts) {
    this.deliver = deliver;
    this.room = room;
    this.view = view;
    this.settings = settings;
    this.counts = counts;
  }

  /** Delivers what waits of the worker, if it is known by now; whether some still waits. */
  boolean flush(WorkerId worker) {
    return deliver(worker) != Waiting.NONE;
  }

  private Waiting deliver(WorkerId worker) {
    Queue<Held> queue = byWorker.get(worker);
    if (queue == null) {
      return Waiting.NONE;
    }
    Waiting waiting = deliver(worker, queue);
    removeIfEmpty(worker, queue);
    return waiting;
  }

  private Waiting deliver(WorkerId worker, Queue<Held> queue) {
    while (!queue.isEmpty()) {
      if (!room.getAsBoolean()) {
        return Waiting.LOG_FULL;
      }
      if (!deliver.test(worker, queue.element().message)) {
        return Waiting.WORKER_UNKNOWN;
      }
      queue.remove();
      size--;
    }
    return Waiting.NONE;
  }

  void hold(WorkerId worker, DirectoryMessage message) {
    if (size >= settings.maxHeld()) {
      counts.lost(FrontCounts.Loss.NO_ROOM);
      return;
    }
    byWorker.computeIfAbsent(worker, id -> new ArrayDeque<>()).add(new Held(message, arrivals++));
    size++;
    counts.held(size);
    waitForView();
  }

  /** Decides about what waits, if the view has had its time; the rest when the log has room. */
  void tick() {
    Wait current = wait;
    if (current == null || !current.read.isDone()) {
      return;
    }
    for (WorkerId worker : byWorker.keySet().toArray(WorkerId[]::new)) {
      Waiting waiting = deliver(worker);
      if (waiting == Waiting.LOG_FULL) {
        return;
      }
      if (waiting == Waiting.WORKER_UNKNOWN) {
        drop(worker, current.arrivedBefore);
      }
    }
    wait = null;
    waitForView();
  }

  private void waitForView() {
    if (wait == null && size > 0) {
      wait = new Wait(view.caughtUp(settings.holdFor()), arrivals);
    }
  }

  private void drop(WorkerId worker, long arrivedBefore) {
    Queue<Held> queue = byWorker.getOrDefault(worker, new ArrayDeque<>());
    for (Iterator<Held> each = queue.iterator(); each.hasNext(); ) {
      if (each.next().arrival < arrivedBefore) {
        each.remove();
        size--;
        counts.lost(FrontCounts.Loss.UNKNOWN_WORKER);
      }
    }
    removeIfEmpty(worker, queue);
  }

  private void removeIfEmpty(WorkerId worker, Queue<Held> queue) {
    counts.held(size);
    if (queue.isEmpty()) {
      byWorker.remove(worker);
    }
  }

  private record Held(DirectoryMessage message, long arrival) {}

  private record Wait(Future<Boolean> read, long arrivedBefore) {}
}
