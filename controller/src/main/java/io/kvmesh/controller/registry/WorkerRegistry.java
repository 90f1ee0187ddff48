package io.kvmesh.controller.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The workers that the view in memory knows, and those that it knew until they were silent for too
 * long: who is called to a smaller fleet must find out which are missing. Reads return immutable
 * views, from any thread; only ingest writes, from one thread.
 */
public final class WorkerRegistry {

  /** How long a worker that was written off is told of. */
  static final Duration REMEMBERED = Duration.ofHours(1);

  /** More of them are not told of; the oldest goes. */
  static final int MAX_WRITTEN_OFF = 1_000;

  private static final Comparator<WorkerView> BY_REGISTRATION =
      Comparator.comparingLong(WorkerView::registeredMillis)
          .thenComparing(worker -> worker.id().toString());

  private final ConcurrentMap<WorkerId, WorkerView> workers = new ConcurrentHashMap<>();
  private final InstantSource clock;

  @GuardedBy("writtenOff")
  private final Map<WorkerId, WrittenOff> writtenOff = new LinkedHashMap<>();

  public WorkerRegistry() {
    this(InstantSource.system());
  }

  /** With the clock by which those written off are forgotten. */
  WorkerRegistry(InstantSource clock) {
    this.clock = clock;
  }

  /** The worker, unless it was never heard of or is down. */
  public Optional<WorkerView> worker(WorkerId id) {
    return Optional.ofNullable(workers.get(id));
  }

  /** All workers, the first registered first. */
  public List<WorkerView> workers() {
    return workers.values().stream().sorted(BY_REGISTRATION).toList();
  }

  /** Ingest only: the worker is as the view says. */
  public void put(WorkerView worker) {
    workers.put(worker.id(), worker);
    synchronized (writtenOff) {
      writtenOff.remove(worker.id());
    }
  }

  /** Those written off within the last hour that have not come back, the first first. */
  public List<WrittenOff> writtenOff() {
    synchronized (writtenOff) {
      writtenOff.values().removeIf(this::isOld);
      return List.copyOf(writtenOff.values());
    }
  }

  /** Ingest only: the worker was silent for too long; {@link #remove} follows. */
  public void writeOff(WorkerId id, long epoch, long millis) {
    String peer =
        worker(id).map(WorkerView::announcement).map(Announcement::peerInitUrl).orElse(null);
    WrittenOff gone = new WrittenOff(id, epoch, peer, millis);
    if (isOld(gone)) {
      return;
    }
    synchronized (writtenOff) {
      writtenOff.remove(id);
      writtenOff.put(id, gone);
      if (writtenOff.size() > MAX_WRITTEN_OFF) {
        writtenOff.remove(writtenOff.keySet().iterator().next());
      }
    }
  }

  /** A view that begins anew reads of old ones too. */
  private boolean isOld(WrittenOff gone) {
    return clock.millis() - gone.millis() > REMEMBERED.toMillis();
  }

  /** Ingest only: the worker is down. */
  public void remove(WorkerId id) {
    workers.remove(id);
  }

  /** Ingest only: the log is another one. */
  public void clear() {
    workers.clear();
    synchronized (writtenOff) {
      writtenOff.clear();
    }
  }
}
