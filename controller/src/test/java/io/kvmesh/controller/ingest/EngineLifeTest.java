package io.kvmesh.controller.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.KVOpEvent;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** An engine's life on the log, as a view reads it. */
class EngineLifeTest {

  private static final WorkerId ID = new WorkerId("vllm-0", 0);
  private static final Keyspace KEYSPACE = Keyspace.ofEngine("m", 16);
  private static final String GPU = "GPU";

  private final TestView view = new TestView();

  private static Announcement announcement(long sequence) {
    return announcement(sequence, 0);
  }

  private static Announcement announcement(long sequence, int holes) {
    return new Announcement(
            WorkerKind.ENGINE,
            "10.0.0.1",
            5557,
            null,
            "m",
            null,
            16,
            null,
            null,
            null,
            null,
            List.of())
        .at(new EnginePosition(sequence, 7, holes));
  }

  private static BatchedKVOperation batch(long epoch, OpType type, long sequence, long... hashes) {
    List<KVOpEvent> operations =
        LongStream.of(hashes)
            .mapToObj(hash -> new KVOpEvent(type, ChunkHash.ofUnsigned(hash), sequence))
            .toList();
    return new BatchedKVOperation(
        ID.instanceId(), ID.rank(), epoch, GPU, KEYSPACE.toString(), operations);
  }

  private long begin(boolean incomplete) {
    return view.append(
        incomplete
            ? WorkerUp.resumed(ID, announcement(0))
            : new WorkerUp(ID.instanceId(), ID.rank(), 0, announcement(0)));
  }

  private WorkerView engine() {
    WorkerStream stream = view.streams.stream(ID);
    assertThat(stream).isNotNull();
    return stream.view(view.streams.isSilent(stream));
  }

  private int held(long... hashes) {
    return view.index.prefix(ID, GPU, KEYSPACE, hashes);
  }

  @Test
  void numbersOfBatches_skipRepeatAndGoBack_andNothingIsSuspect() {
    long epoch = begin(false);
    view.append(batch(epoch, OpType.ADMIT, 0, 1, 2));
    view.append(batch(epoch, OpType.ADMIT, 7, 3, -1));
    view.append(batch(epoch, OpType.EVICT, 7, 2));
    view.append(batch(epoch, OpType.ADMIT, 6, 2));
    view.append(batch(epoch, OpType.EVICT, 7, 2));

    assertThat(held(1, 3, -1)).isEqualTo(3);
    assertThat(held(2)).isZero();
    assertThat(engine().state()).isEqualTo(WorkerState.LIVE);
    assertThat(engine().gaps() + engine().duplicates()).isZero();
    assertThat(engine().appliedSequence()).isEqualTo(7);
  }

  @Test
  void anotherLife_beginsWithNothing_andWhatFollowsOfTheFormerIsDropped() {
    long former = begin(false);
    view.append(batch(former, OpType.ADMIT, 0, 1));
    long epoch = begin(true);
    view.append(batch(former, OpType.ADMIT, 1, 2));
    view.append(batch(epoch, OpType.ADMIT, 9, 3));

    assertThat(held(1) + held(2)).isZero();
    assertThat(held(3)).isEqualTo(1);
    assertThat(engine().stale()).isEqualTo(1);
  }

  @Test
  void incompleteLife_staysSuspect_whateverHeartbeatsSay_andIsOffered() {
    long epoch = begin(true);
    view.append(new Heartbeat(ID.instanceId(), ID.rank(), epoch, announcement(4), List.of()));

    assertThat(engine().state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(engine().state().isOffered()).isTrue();
    assertThat(engine().announcement()).isEqualTo(announcement(4));

    begin(false);
    assertThat(engine().state()).isEqualTo(WorkerState.LIVE);
  }

  @Test
  void lifeWithAHole_isSuspectAndKeepsWhatItHas() {
    long epoch = begin(false);
    view.append(batch(epoch, OpType.ADMIT, 0, 1));
    view.append(new Heartbeat(ID.instanceId(), ID.rank(), epoch, announcement(4, 1), List.of()));

    assertThat(engine().state()).isEqualTo(WorkerState.SUSPECT);
    assertThat(held(1)).isEqualTo(1);
  }

  @Test
  void engineWithoutHeartbeats_isHiddenAndExpires() {
    begin(false);
    view.ticks(4);
    assertThat(engine().state()).isEqualTo(WorkerState.SILENT);
    view.ticks(10);
    assertThat(view.streams.expired(TestView.PARTITION)).hasSize(1);
  }
}
