package io.kvmesh.controller.lookup;

import static io.kvmesh.controller.fixture.Workers.agent;
import static io.kvmesh.controller.fixture.Workers.foreign;
import static io.kvmesh.controller.fixture.Workers.keyspace;
import static io.kvmesh.controller.fixture.Workers.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerKind;
import io.kvmesh.controller.fixture.NaiveIndex;
import io.kvmesh.controller.registry.WorkerRegistry;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random fleets, and a holder chosen by walking over everybody, one rule after the other. */
class PrefixLookupModelTest {

  private static final String[] LOCATIONS = {"LocalCPUBackend", "LocalDiskBackend"};
  private static final int HASHES = 6;
  private static final List<WorkerState> STATES = List.of(WorkerState.values());

  @RepeatedTest(300)
  void best_equalsTheModels(RepetitionInfo repetition) {
    long seed = 7_919L * repetition.getCurrentRepetition();
    Random random = new Random(seed);
    Fleet fleet = new Fleet(random);
    long[] hashes = LongStream.range(0, 1 + random.nextInt(HASHES)).toArray();
    WorkerId asker = new WorkerId("i" + random.nextInt(5), random.nextInt(2));
    Requester requester =
        random.nextBoolean()
            ? Requester.agent(asker, keyspace(asker.rank()))
            : Requester.foreign(asker);

    Holder best =
        new PrefixLookup(fleet.index, fleet.registry).find(requester, hashes).best().orElse(null);

    assertThat(best).as("seed %s", seed).isEqualTo(fleet.best(requester, hashes));
  }

  private static final class Fleet {

    private final NaiveIndex index = new NaiveIndex();
    private final WorkerRegistry registry = new WorkerRegistry();
    private final List<WorkerView> inOrder = new ArrayList<>();

    Fleet(Random random) {
      for (int i = 0; i < 4; i++) {
        for (int rank = 0; rank < 2; rank++) {
          add(random, new WorkerId("i" + i, rank), 10 * i + rank);
        }
      }
    }

    private void add(Random random, WorkerId id, int epoch) {
      String url = random.nextInt(5) == 0 ? null : "url-" + id;
      boolean isForeign = random.nextInt(3) == 0;
      Announcement announcement =
          isForeign ? foreign(url) : agent(url, random.nextInt(4) == 0 ? "1" : "0");
      WorkerState state = STATES.get(random.nextInt(STATES.size()));
      WorkerView view = view(id, state, epoch, random.nextInt(8) == 0 ? null : announcement);
      registry.put(view);
      inOrder.add(view);
      Keyspace keyspace = isForeign ? Keyspace.foreign(id.rank()) : keyspace(id.rank());
      for (String location : LOCATIONS) {
        LongStream.range(0, HASHES)
            .filter(hash -> random.nextInt(4) > 0)
            .forEach(hash -> index.admit(id, location, keyspace, hash));
      }
    }

    @Nullable Holder best(Requester requester, long[] hashes) {
      Holder best = null;
      for (WorkerView worker : inOrder) {
        for (String location : LOCATIONS) {
          int length = index.prefix(worker.id(), location, requester.keyspace(), hashes);
          if (length > 0
              && mayServe(worker, requester)
              && (best == null || length > best.chunks())) {
            best = new Holder(worker.id(), location, length, "url-" + worker.id(), worker.epoch());
          }
        }
      }
      return best;
    }

    private boolean mayServe(WorkerView worker, Requester requester) {
      Announcement offered = worker.announcement();
      WorkerId asker = requester.worker();
      if (worker.state() == WorkerState.SILENT
          || offered == null
          || offered.peerInitUrl() == null
          || asker == null
          || worker.id().instanceId().equals(asker.instanceId())) {
        return false;
      }
      boolean foreign = offered.kind() == WorkerKind.FOREIGN;
      if (foreign || requester.keyspace().isForeign()) {
        return foreign && requester.keyspace().isForeign();
      }
      Announcement wanted = registry.worker(asker).map(WorkerView::announcement).orElse(null);
      return wanted == null
          || (wanted.kind() == WorkerKind.AGENT
              && String.valueOf(wanted.hashSeed()).equals(offered.hashSeed()));
    }
  }
}
