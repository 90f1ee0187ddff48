package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.ingest.Applied.Outcome;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Those who wait until an operation has been applied. Bounded in number and time; any thread. */
final class AppliedBarriers {

  private final WorkerRegistry registry;
  private final int maxWaiters;

  @GuardedBy("this")
  private final Map<WorkerId, List<Waiter>> waiters = new HashMap<>();

  @GuardedBy("this")
  private int waiting;

  @GuardedBy("this")
  private boolean closed;

  private record Waiter(
      WorkerId worker, long epoch, long sequence, CompletableFuture<Applied> future) {

    /** The answer, if the view has one already. */
    @Nullable Applied answer(@Nullable WorkerView view) {
      if (view == null || view.epoch() < epoch) {
        return null;
      }
      if (view.epoch() > epoch) {
        return of(Outcome.SUPERSEDED, view);
      }
      boolean reached = sequence <= 0 || view.appliedSequence() >= sequence;
      return reached ? of(Outcome.APPLIED, view) : null;
    }

    static Applied of(Outcome outcome, @Nullable WorkerView view) {
      return view == null
          ? new Applied(outcome, -1, -1)
          : new Applied(outcome, view.epoch(), view.appliedSequence());
    }
  }

  AppliedBarriers(WorkerRegistry registry, int maxWaiters) {
    this.registry = registry;
    this.maxWaiters = maxWaiters;
  }

  /** Completes when the registry's view of the worker has reached the operation; never fails. */
  CompletableFuture<Applied> await(WorkerId worker, long epoch, long sequence, Duration timeout) {
    Waiter waiter = new Waiter(worker, epoch, sequence, new CompletableFuture<>());
    if (!add(waiter)) {
      return CompletableFuture.completedFuture(Waiter.of(Outcome.REFUSED, view(worker)));
    }
    // Looked at only now, so that a change in between isn't missed.
    changed(worker);
    return waiter
        .future()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(late -> timedOut(waiter));
  }

  private synchronized boolean add(Waiter waiter) {
    if (closed || waiting >= maxWaiters) {
      return false;
    }
    waiters.computeIfAbsent(waiter.worker(), w -> new ArrayList<>(1)).add(waiter);
    waiting++;
    return true;
  }

  private Applied timedOut(Waiter waiter) {
    synchronized (this) {
      List<Waiter> ofWorker = waiters.get(waiter.worker());
      if (ofWorker != null && ofWorker.remove(waiter)) {
        waiting--;
        if (ofWorker.isEmpty()) {
          waiters.remove(waiter.worker());
        }
      }
    }
    return Waiter.of(Outcome.TIMED_OUT, view(waiter.worker()));
  }

  /** The registry has another view of the worker. */
  void changed(WorkerId worker) {
    WorkerView view = view(worker);
    for (Waiter waiter : takeAnswered(worker, view)) {
      Applied answer = waiter.answer(view);
      if (answer != null) {
        waiter.future().complete(answer);
      }
    }
  }

  private synchronized List<Waiter> takeAnswered(WorkerId worker, @Nullable WorkerView view) {
    List<Waiter> ofWorker = waiters.get(worker);
    if (ofWorker == null) {
      return List.of();
    }
    List<Waiter> answered = new ArrayList<>();
    for (Iterator<Waiter> it = ofWorker.iterator(); it.hasNext(); ) {
      Waiter waiter = it.next();
      if (waiter.answer(view) != null) {
        it.remove();
        answered.add(waiter);
      }
    }
    waiting -= answered.size();
    if (ofWorker.isEmpty()) {
      waiters.remove(worker);
    }
    return answered;
  }

  /** Number of those who wait. */
  synchronized int waiting() {
    return waiting;
  }

  /** Refuses all who wait, and all who come. */
  void close() {
    List<Waiter> refused = new ArrayList<>();
    synchronized (this) {
      closed = true;
      waiters.values().forEach(refused::addAll);
      waiters.clear();
      waiting = 0;
    }
    refused.forEach(
        waiter -> waiter.future().complete(Waiter.of(Outcome.REFUSED, view(waiter.worker()))));
  }

  private @Nullable WorkerView view(WorkerId worker) {
    return registry.worker(worker).orElse(null);
  }
}
