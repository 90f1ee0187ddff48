package io.kvmesh.controller.vllm;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.fixture.FakeLog;
import io.kvmesh.controller.registry.LastBeat;
import io.kvmesh.controller.registry.SyncView;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a log says of an engine, as a view reads it: each life begins with nothing. */
final class LoggedEngine {

  final Set<String> blocks = new TreeSet<>();
  int lives;
  int heartbeats;
  boolean incomplete;
  long epoch = -1;
  private @Nullable Announcement announcement;

  static LoggedEngine of(FakeLog log) {
    LoggedEngine read = new LoggedEngine();
    for (FakeLog.Appended appended : log.appended()) {
      if (appended.offset().isDone() && !appended.offset().isCompletedExceptionally()) {
        read.apply(appended.event(), appended.offset().join());
      }
    }
    return read;
  }

  /** What it has announced last; it has. */
  Announcement announcement() {
    return Objects.requireNonNull(announcement);
  }

  private void apply(LogEvent event, long offset) {
    switch (event) {
      case WorkerUp up -> {
        lives++;
        epoch = offset;
        incomplete = Boolean.TRUE.equals(up.resumed());
        announcement = up.announcement();
        blocks.clear();
      }
      case Heartbeat heartbeat when heartbeat.epoch() == epoch -> {
        heartbeats++;
        announcement = heartbeat.announcement();
      }
      case BatchedKVOperation batch when batch.epoch() == epoch -> apply(batch);
      default -> {}
    }
  }

  private void apply(BatchedKVOperation batch) {
    for (int i = 0; i < batch.operations().size(); i++) {
      String block = batch.location() + ":" + batch.operations().hashBits(i);
      if (batch.operations().get(i).opType() == OpType.ADMIT) {
        blocks.add(block);
      } else {
        blocks.remove(block);
      }
    }
  }

  /** As the registry shows it. */
  WorkerView view(WorkerId id) {
    return new WorkerView(
        id,
        WorkerState.LIVE,
        false,
        epoch,
        announcement,
        Map.of(),
        epoch,
        epoch,
        epoch,
        0,
        epoch,
        0,
        SyncView.NONE,
        LastBeat.UNTOLD);
  }
}
