package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.SnapshotBatch;
import io.kvmesh.common.wire.event.SnapshotEnd;
import io.kvmesh.common.wire.event.SnapshotStart;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.index.MemoryIndex;
import io.kvmesh.controller.registry.WorkerState;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A view that may hold ten placements. */
class FullViewTest {

  private static final WorkerId FOREIGN = new WorkerId("foreign", 1);

  private final TestView view = new TestView(new MemoryIndex(10));
  private final TestAgent first = new TestAgent("first");
  private final TestAgent second = new TestAgent("second");

  @Test
  void whatFindsNoRoom_makesItsWorkerSuspect_untilASnapshotFindsRoom() {
    view.start(first);
    view.start(second);
    view.append(first.admit(1, 2, 3, 4, 5, 6, 7, 8));
    view.append(second.admit(11, 12, 13, 14));

    assertThat(view.held(second)).containsExactlyInAnyOrder(11L, 12L);
    assertThat(view.view(second).state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(view.view(first).state()).isEqualTo(WorkerState.LIVE);
    view.append(second.heartbeat());
    view.appendAll(second.snapshot());
    assertThat(view.view(second).state()).as("no room yet").isEqualTo(WorkerState.SUSPECT);

    view.append(first.evict(1, 2, 3, 4));
    view.appendAll(second.snapshot());

    assertThat(view.held(second)).isEqualTo(second.resident());
    assertThat(view.view(second).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void evictOfWhatFoundNoRoom_makesTheViewRightAgain() {
    view.start(first);
    view.append(first.admit(LongStream.range(0, 12).toArray()));
    assertThat(view.view(first).state()).isEqualTo(WorkerState.SUSPECT);

    view.append(first.evict(10, 11));
    view.append(first.heartbeat());

    assertThat(view.held(first)).isEqualTo(first.resident());
    assertThat(view.view(first).state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void foreignWorkersSnapshot_isTrustedOnlyIfAllOfItFoundRoom() {
    view.start(first);
    view.append(first.admit(1, 2, 3, 4, 5, 6, 7, 8));
    long epoch = view.append(new WorkerUp("foreign", 1, 0, TestAgent.announcement()));
    KVOpEvent admit = new KVOpEvent(OpType.ADMIT, ChunkHash.ofSigned(20), 1);
    view.append(
        new BatchedKVOperation(
            "foreign", 1, epoch, TestAgent.LOCATION, "foreign@1", List.of(admit)));

    foreignSnapshot(epoch, "one");
    assertThat(foreignIsSuspect()).isTrue();

    view.append(first.evict(1, 2, 3, 4));
    foreignSnapshot(epoch, "two");
    assertThat(foreignIsSuspect()).isFalse();
  }

  private void foreignSnapshot(long epoch, String id) {
    List<ChunkHash> keys = LongStream.of(20, 21, 22, 23).mapToObj(ChunkHash::ofSigned).toList();
    view.append(SnapshotStart.ofForeign(FOREIGN, epoch, TestAgent.LOCATION, id, 1, keys.size()));
    view.append(
        new SnapshotBatch("foreign", 1, epoch, TestAgent.LOCATION, id, 0, "foreign@1", keys, 0));
    view.append(
        new SnapshotEnd("foreign", 1, epoch, TestAgent.LOCATION, id, SnapshotEnd.UNTOLD, 0, 0, 0));
  }

  private boolean foreignIsSuspect() {
    WorkerStream stream = view.streams.stream(FOREIGN);
    return stream != null && stream.isSuspect();
  }
}
