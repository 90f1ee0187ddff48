package io.kvmesh.controller.lmcache;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.directory.FullSyncBatchMsg;
import io.kvmesh.common.wire.directory.FullSyncEndMsg;
import io.kvmesh.common.wire.directory.FullSyncStartMsg;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks on the log for LMCache workers, which can't write to it themselves. Any thread.
 *
 * <p>A worker's epoch is known from the view, or from a registration made here which the view has
 * yet to read; the later one counts.
 */
final class ForeignWorkers {

  private static final Logger LOG = LoggerFactory.getLogger(ForeignWorkers.class);

  /** A record of the log holds at most this many operations. */
  private static final int MAX_OPERATIONS = 1000;

  /** A record of the log holds at most this many keys of a full sync: a fifth of a megabyte. */
  private static final int MAX_SYNC_KEYS = 20_000;

  /** Registrations made here that are remembered until the view has them. */
  private static final int MAX_REMEMBERED = 10_000;

  private final EventLogWriter log;
  private final WorkerRegistry registry;
  private final FrontCounts counts;
  private final Map<WorkerId, Registered> registered = new ConcurrentHashMap<>();
  private final Map<WorkerId, CompletableFuture<Long>> registering = new ConcurrentHashMap<>();

  /** A registration made here that the view has yet to read. */
  private record Registered(long epoch, Announcement announcement) {}

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

  static boolean isAgent(WorkerView view) {
    return view.announcement() != null && !isForeign(view);
  }

  /** Begins a life of the worker; the future has its epoch once the log has it. */
  CompletableFuture<Long> register(WorkerId worker, Announcement announcement) {
    return begin(worker, new WorkerUp(worker.instanceId(), worker.rank(), 0, announcement));
  }

  private CompletableFuture<Long> begin(WorkerId worker, WorkerUp up) {
    return append(up).thenApply(epoch -> remember(worker, epoch, up.announcement()));
  }

  /** Registers a worker that has been alive before; joins such a registration under way. */
  CompletableFuture<Long> resume(WorkerId worker, Announcement announcement) {
    CompletableFuture<Long> mine = new CompletableFuture<>();
    CompletableFuture<Long> first = registering.putIfAbsent(worker, mine);
    if (first != null) {
      return first;
    }
    return begin(worker, WorkerUp.resumed(worker, announcement))
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
    Registered own = registered.get(worker);
    if (own != null && own.epoch <= viewed) {
      registered.remove(worker, own);
    }
    long latest = Math.max(viewed, own == null ? -1 : own.epoch);
    return latest < 0 ? OptionalLong.empty() : OptionalLong.of(latest);
  }

  /** What the worker told of itself in its present life; null if that isn't known. */
  @Nullable Announcement announcement(WorkerId worker) {
    WorkerView viewed = registry.worker(worker).orElse(null);
    Registered own = registered.get(worker);
    if (own != null && (viewed == null || own.epoch > viewed.epoch())) {
      return own.announcement;
    }
    return viewed == null ? null : viewed.announcement();
  }

  /** Whether the log has room for what can wait. */
  boolean hasRoom() {
    return log.hasRoom();
  }

  /** A sign of life that names no address: the worker is where it was. */
  void heartbeat(WorkerView known) {
    Announcement announcement = known.announcement();
    if (announcement != null) {
      heartbeat(known.id(), known.epoch(), announcement);
    }
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

  /** Begins a full sync; the future fails if the log doesn't take it. */
  CompletableFuture<Long> syncStart(WorkerId worker, long epoch, FullSyncStartMsg sync) {
    return append(
        SnapshotStart.ofForeign(
            worker, epoch, sync.location(), sync.syncId(), sync.batchCount(), sync.totalKeys()));
  }

  /** A batch that is too large for one record has its number on the last part, sent last. */
  void syncBatch(WorkerId worker, long epoch, FullSyncBatchMsg batch) {
    List<ChunkHash> keys = batch.keys();
    List<CompletableFuture<Long>> parts = new ArrayList<>();
    int from = 0;
    for (; keys.size() - from > MAX_SYNC_KEYS; from += MAX_SYNC_KEYS) {
      List<ChunkHash> part = keys.subList(from, from + MAX_SYNC_KEYS);
      parts.add(append(record(worker, epoch, batch, SnapshotBatch.PART, part)));
    }
    LogEvent last = record(worker, epoch, batch, batch.batchId(), keys.subList(from, keys.size()));
    if (parts.isEmpty()) {
      append(last);
    } else {
      var _ =
          CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
              .thenRun(() -> append(last));
    }
  }

  private static LogEvent record(
      WorkerId worker, long epoch, FullSyncBatchMsg batch, int batchId, List<ChunkHash> keys) {
    return new SnapshotBatch(
        worker.instanceId(),
        worker.rank(),
        epoch,
        batch.location(),
        batch.syncId(),
        batchId,
        Keyspace.foreign(worker.rank()).toString(),
        keys,
        0);
  }

  void syncEnd(WorkerId worker, long epoch, FullSyncEndMsg end) {
    append(
        new SnapshotEnd(
            worker.instanceId(),
            worker.rank(),
            epoch,
            end.location(),
            end.syncId(),
            SnapshotEnd.UNTOLD,
            0,
            end.actualTotalKeys(),
            0));
  }

  void down(WorkerId worker, long epoch) {
    registered.remove(worker);
    append(new WorkerDown(worker.instanceId(), worker.rank(), epoch, DownReason.DEREGISTERED, -1));
  }

  /** The worker's address is another's now. */
  void writeOff(WorkerView worker) {
    WorkerId id = worker.id();
    LOG.warn(
        "Worker {} is written off: another one claims its address, and it gives no sign of life",
        id);
    registered.remove(id);
    append(new WorkerDown(id.instanceId(), id.rank(), worker.epoch(), DownReason.EXPIRED, -1));
  }

  private long remember(WorkerId worker, long epoch, Announcement announcement) {
    if (registered.size() >= MAX_REMEMBERED) {
      registered.keySet().forEach(this::epoch);
    }
    if (registered.size() < MAX_REMEMBERED) {
      registered.merge(
          worker,
          new Registered(epoch, announcement),
          (one, other) -> one.epoch > other.epoch ? one : other);
    }
    return epoch;
  }

  /** What the log doesn't take is counted. */
  @CanIgnoreReturnValue
  private CompletableFuture<Long> append(LogEvent event) {
    return log.append(event)
        .whenComplete(
            (offset, failure) -> {
              if (failure != null) {
                counts.lost(FrontCounts.Loss.LOG);
              }
            });
  }
}
