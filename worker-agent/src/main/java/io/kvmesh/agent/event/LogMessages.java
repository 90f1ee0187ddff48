package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.LogPosition;
import io.kvmesh.agent.event.OutboxItem.EndMark;
import io.kvmesh.agent.event.OutboxItem.HeartbeatMark;
import io.kvmesh.agent.event.OutboxItem.Operations;
import io.kvmesh.agent.event.OutboxItem.SliceMark;
import io.kvmesh.agent.event.OutboxItem.StartMark;
import io.kvmesh.common.wire.Formats;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.DownReason;
import io.kvmesh.common.wire.event.DrainState;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LocationState;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the outbox holds as records of the log. Numbers the batches of a snapshot, so it has
 * to be asked in the order of sending.
 */
final class LogMessages {

  private final String instanceId;
  private final int rank;
  private final String location;
  private final Announcement announcement;
  private final InstantSource clock;
  private final Supplier<@Nullable DrainState> drain;
  private int batches;

  /**
   * @param drain whether this agent is going, asked for each heartbeat
   */
  LogMessages(
      PublisherSettings settings,
      Announcement announcement,
      InstantSource clock,
      Supplier<@Nullable DrainState> drain) {
    this.instanceId = settings.worker().instanceId();
    this.rank = settings.worker().rank();
    this.location = settings.location();
    this.announcement = announcement;
    this.clock = clock;
    this.drain = drain;
  }

  LogEvent up() {
    return new WorkerUp(instanceId, rank, 0, announcement);
  }

  LogEvent down(long epoch, long lastHeartbeatOffset) {
    return new WorkerDown(instanceId, rank, epoch, DownReason.DEREGISTERED, lastHeartbeatOffset);
  }

  /** The records of an item, none if it is a part of a snapshot without chunks. */
  List<LogEvent> of(OutboxItem item, long epoch) {
    return switch (item) {
      case Operations operations ->
          List.of(
              new BatchedKVOperation(
                  instanceId,
                  rank,
                  epoch,
                  location,
                  operations.keyspace().toString(),
                  operations.events()));
      case HeartbeatMark(LogPosition at) ->
          List.of(
              new Heartbeat(
                  Formats.CURRENT,
                  instanceId,
                  rank,
                  epoch,
                  announcement,
                  List.of(
                      new LocationState(location, at.sequence(), at.residentCount(), at.digest())),
                  clock.millis(),
                  drain.get()));
      case StartMark(String id, LogPosition at) -> {
        batches = 0;
        yield List.of(new SnapshotStart(instanceId, rank, epoch, location, id, at.sequence()));
      }
      case SliceMark slice -> batches(slice, epoch);
      case EndMark(String id, LogPosition at) ->
          List.of(
              new SnapshotEnd(
                  instanceId,
                  rank,
                  epoch,
                  location,
                  id,
                  batches,
                  at.sequence(),
                  at.residentCount(),
                  at.digest()));
    };
  }

  /** A batch has one keyspace. */
  private List<LogEvent> batches(SliceMark mark, long epoch) {
    long sequence = mark.slice().position().sequence();
    List<LogEvent> records = new ArrayList<>();
    mark.slice()
        .chunks()
        .forEach(
            (keyspace, hashes) ->
                records.add(
                    new SnapshotBatch(
                        instanceId,
                        rank,
                        epoch,
                        location,
                        mark.snapshotId(),
                        batches++,
                        keyspace.toString(),
                        hashes,
                        sequence)));
    return records;
  }
}
