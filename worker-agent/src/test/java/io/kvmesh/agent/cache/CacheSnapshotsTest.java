package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkHash;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CacheSnapshotsTest {

  @Test
  void snapshotSlices_nameEveryResidentChunkOnce_inBoundedSlices() {
    try (CacheFixture at = new CacheFixture(1_000, PolicyName.LRU)) {
      at.put(LongStream.range(0, 1_000).toArray());
      for (long hash = 0; hash < 1_000; hash++) {
        if (hash % 100 != 7) {
          at.cache.remove(key(hash), RemovalCause.REMOVED);
        }
      }
      Set<ChunkHash> named = new HashSet<>();
      int slices = 0;
      int slot = 0;
      while (slot != CacheSnapshots.END_OF_SLOTS) {
        slot =
            at.cache
                .snapshots()
                .slice(
                    slot,
                    3,
                    slice -> {
                      assertThat(slice.size()).isLessThanOrEqualTo(3);
                      assertThat(slice.position()).isEqualTo(at.cache.position());
                      slice.chunks().values().forEach(named::addAll);
                    });
        slices++;
      }
      assertThat(named).hasSize(10);
      assertThat(slices).isBetween(1_000 / 48, 40);
    }
  }
}
