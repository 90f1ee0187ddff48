package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.CPU;
import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.going;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.live;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who could take the chunks of a worker that is going. */
class DrainLookupTest {

  private static final WorkerId GOING = new WorkerId("going", 0);
  private static final WorkerId A = new WorkerId("A", 0);
  private static final WorkerId B = new WorkerId("B", 0);
  private static final long[] HASHES = {1, 2, 3, 4};

  private final NaiveIndex index = new NaiveIndex();
  private final WorkerRegistry registry = new WorkerRegistry();
  private final AtomicBoolean ready = new AtomicBoolean(true);
  private final DrainLookup lookup = new DrainLookup(ready::get, index, registry);

  @BeforeEach
  void known() {
    put(GOING, agent("10.0.0.1:8200"));
  }

  private void put(WorkerId worker, Announcement told) {
    registry.put(live(worker, 1, told));
  }

  private DrainLookup.Answer answer() {
    return lookup.find(GOING, keyspace(), HASHES).orElseThrow();
  }

  @Test
  void targets_areThoseOfOtherHostsFirst() {
    put(A, agent("10.0.0.1:8220"));
    put(B, agent("10.0.0.2:8200"));

    assertThat(answer().targets()).containsExactly("10.0.0.2:8200", "10.0.0.1:8220");
  }

  @Test
  void targets_areOfTheSameRankInOtherInstances_liveAndAlike() {
    put(new WorkerId("A", 1), agent("10.0.0.2:8200"));
    put(new WorkerId("going", 1), agent("10.0.0.3:8200"));
    put(new WorkerId("foreign", 0), foreign("10.0.0.4:8200"));
    put(new WorkerId("nowhere", 0), agent(""));
    registry.put(view(B, WorkerState.SILENT, 2, agent("10.0.0.5:8200")));

    assertThat(answer().targets()).isEmpty();
  }

  @Test
  void whatALiveWorkerOfAnotherHostHas_needNotGo() {
    put(A, agent("10.0.0.2:8200"));
    put(B, agent("10.0.0.1:8220"));
    registry.put(view(new WorkerId("C", 0), WorkerState.SILENT, 2, agent("10.0.0.5:8200")));
    index.admit(GOING, CPU, keyspace(), HASHES);
    index.admit(A, CPU, keyspace(), new long[] {2});
    index.admit(B, CPU, keyspace(), new long[] {3});
    index.admit(new WorkerId("C", 0), CPU, keyspace(), new long[] {4});

    assertThat(answer().elsewhere()).as("that of A alone").containsExactly(1);
  }

  @Test
  void workerThatIsGoingItself_isNoTarget_andWhatItHasMustGo() {
    put(A, agent("10.0.0.2:8200"));
    registry.put(going(B, agent("10.0.0.3:8200")));
    index.admit(GOING, CPU, keyspace(), HASHES);
    index.admit(A, CPU, keyspace(), new long[] {2});
    index.admit(B, CPU, keyspace(), new long[] {2, 3});

    assertThat(answer().targets()).containsExactly("10.0.0.2:8200");
    assertThat(answer().elsewhere()).containsExactly(1);
  }

  @Test
  void unknownWorker_isToldOfNobody_andAViewThatIsNotReadySaysNothing() {
    put(A, agent("10.0.0.2:8200"));
    assertThat(lookup.find(new WorkerId("new", 0), keyspace(), HASHES).orElseThrow().targets())
        .isEmpty();
    ready.set(false);
    assertThat(lookup.find(GOING, keyspace(), HASHES)).isEmpty();
  }
}
