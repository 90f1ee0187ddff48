package io.kvmesh.controller.index.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.LocationProgress.SnapshotProgress;
import io.kvmesh.controller.index.SyncProgress;
import io.kvmesh.controller.index.WorkerProgress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateFieldsTest {

  private static final WorkerId WORKER = new WorkerId("A", 3);

  @Test
  void progress_isReadAsItWasWritten() {
    SyncProgress sync = SyncProgress.started("A_3_0a 1b", 70_000, 40, 77).withBatch(3, 78);
    WorkerProgress progress =
        new WorkerProgress(
            5,
            100,
            90,
            true,
            null,
            1,
            2,
            3,
            4,
            6,
            true,
            Map.of(
                "LocalCPUBackend",
                new LocationProgress(9, true, 1, 2, 3, 4, null, sync.withBatch(39, 79)),
                "a:b%",
                new LocationProgress(8, false, 0, 0, 0, 1, new SnapshotProgress("s 1", 7), null),
                "empty",
                new LocationProgress(
                    -1,
                    false,
                    0,
                    0,
                    0,
                    0,
                    null,
                    SyncProgress.started("", 0, 1, 1).over(SyncProgress.State.FAILED))));

    assertThat(read(new StateFields().write(WORKER, "topic", progress)).progress())
        .isEqualTo(progress);
  }

  @SuppressWarnings("UndefinedEquals") // as the client answers a hash; nothing is looked up
  private static StoredWorker read(List<byte[]> fields) {
    Map<byte[], byte[]> state = new HashMap<>();
    for (int i = 0; i < fields.size(); i += 2) {
      state.put(fields.get(i), fields.get(i + 1));
    }
    return new StateFields().read(WORKER, state);
  }
}
