package io.kvmesh.controller.lmcache;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Speaks on the log for LMCache workers, which can't write to it themselves. Any thread.
 *
 * <p>A worker's epoch is known from the view, or from a registration made here which the view has
 * yet to read; the later one counts.
 */
final class ForeignWorkers {

  /** A record of the log holds at most this many operations. */
  private static final int MAX_OPERATIONS = 1000;

  /** Registrations made here that are remembered until the view has them. */
  private static final int MAX_REMEMBERED = 10_000;

  private final EventLogWriter log;
  private final WorkerRegistry registry;
  private final FrontCounts counts;
  private final Map<WorkerId, Long> registered = new ConcurrentHashMap<>();
  private final Map<WorkerId, CompletableFuture<Long>> registering = new ConcurrentHashMap<>();

  ForeignWorkers(EventLogWriter log, WorkerRegistry registry, FrontCounts counts) {
    this.log = log;
    this.registry = registry;
    this.counts = counts;
  }

  static Announcement announcement(String ip, int port, @Nullable String peerInitUrl) {
    return new Announcement(
        WorkerKind.FOREIGN,
        ip,
        port,
        peerInitUrl,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        List.of());
  }

  static boolean isForeign(WorkerView view) {
    Announcement announcement = view.announcement();
    return announcement != null && announcement.kind() == WorkerKind.FOREIGN;
  }

  /** Begins a life of the worker; the future has its epoch once the log has it. */
  CompletableFuture<Long> register(WorkerId worker, Announcement announcement) {
    return log.append(new WorkerUp(worker.instanceId(), worker.rank(), 0, announcement))
        .whenComplete(
            (epoch, failure) -> {
              if (failure == null) {
                remember(worker, epoch);
              } else {
                counts.lost(FrontCounts.Loss.LOG);
              }
            });
  }

  /** Like {@link #register}, but joins a registration of the worker that is under way. */
  CompletableFuture<Long> registerOnce(WorkerId worker, Announcement announcement) {
    CompletableFuture<Long> mine = new CompletableFuture<>();
    CompletableFuture<Long> first = registering.putIfAbsent(worker, mine);
    if (first != null) {
      return first;
    }
    return register(worker, announcement)
        .whenComplete(
            (epoch, failure) -> {
              registering.remove(worker, mine);
              if (failure == null) {
                mine.complete(epoch);
              } else {
                mine.completeExceptionally(failure);
              }
            });
  }

  /** The worker's epoch; empty if neither the view nor a registration made here knows it. */
  OptionalLong epoch(WorkerId worker) {
    long viewed = registry.worker(worker).map(WorkerView::epoch).orElse(-1L);
    Long own = registered.get(worker);
    if (own != null && own <= viewed) {
      registered.remove(worker, own);
    }
    long latest = Math.max(viewed, own == null ? -1 : own);
    return latest < 0 ? OptionalLong.empty() : OptionalLong.of(latest);
  }

  void heartbeat(WorkerId worker, long epoch, Announcement announcement) {
    append(new Heartbeat(worker.instanceId(), worker.rank(), epoch, announcement, List.of()));
  }

  /** Forwards operations with the numbers that the worker gave them. */
  void operations(WorkerId worker, long epoch, String location, List<KVOpEvent> operations) {
    String keyspace = Keyspace.foreign(worker.rank()).toString();
    for (int from = 0; from < operations.size(); from += MAX_OPERATIONS) {
      int to = Math.min(operations.size(), from + MAX_OPERATIONS);
      append(
          new BatchedKVOperation(
              worker.instanceId(),
              worker.rank(),
              epoch,
              location,
              keyspace,
              operations.subList(from, to)));
    }
  }

  void down(WorkerId worker, long epoch) {
    registered.remove(worker);
    append(new WorkerDown(worker.instanceId(), worker.rank(), epoch, DownReason.DEREGISTERED, -1));
  }

  private void remember(WorkerId worker, long epoch) {
    if (registered.size() >= MAX_REMEMBERED) {
      registered.keySet().forEach(this::epoch);
    }
    if (registered.size() < MAX_REMEMBERED) {
      registered.merge(worker, epoch, Math::max);
    }
  }

  private void append(LogEvent event) {
    var unused =
        log.append(event)
            .exceptionally(
                failure -> {
                  counts.lost(FrontCounts.Loss.LOG);
                  return -1L;
                });
  }
}
