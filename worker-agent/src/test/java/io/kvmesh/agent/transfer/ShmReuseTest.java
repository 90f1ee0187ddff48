package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pages that their owner gives out anew while they are copied, by one thread or by two: as if every
 * loan ended at once.
 */
@Timeout(60)
class ShmReuseTest {

  private static final int PAGES = 64;
  private static final int PAGE_BYTES = 128 << 10;
  private static final int ROUNDS = 20;

  @TempDir private Path directory;

  @Test
  void pagesReusedInTheMiddleOfCopies_areNeverTakenForRight() throws Exception {
    Counters<PullCount> counters = new Counters<>(PullCount.class);
    AtomicBoolean stopped = new AtomicBoolean();
    try (TestAgent owner =
            TestAgent.named("owner")
                .pages(PAGES, PAGE_BYTES)
                .file(directory.resolve("owner"))
                .start();
        CopyHelpers helpers = new CopyHelpers(1);
        Arena targets = Arena.ofShared()) {
      PageArena arena = owner.self.channels().arena().orElseThrow();
      arena.tellEpoch(100);
      ShmChannel channel =
          new ShmChannel(MappedArena.map(directory, arena.identity().orElseThrow(), 100), counters);
      Thread reuse = Thread.ofPlatform().start(() -> storeAnew(owner, stopped));
      Map<Delivery.Copied, Integer> seen = new EnumMap<>(Delivery.Copied.class);
      try {
        MemorySegment memory = targets.allocate((long) PAGES * PAGE_BYTES);
        for (int round = 0; round < ROUNDS || !seen.containsKey(Delivery.Copied.CHANGED); round++) {
          copyAndCheck(owner, channel, memory, helpers, seen);
        }
      } finally {
        stopped.set(true);
        reuse.join();
        channel.close();
      }
      assertThat(seen).doesNotContainKey(Delivery.Copied.HARMED);
      assertThat(seen).containsKey(Delivery.Copied.CHANGED);
      assertThat(counters.get(PullCount.CHUNK_CHANGED))
          .isEqualTo((long) seen.get(Delivery.Copied.CHANGED));
    }
  }

  private static void storeAnew(TestAgent owner, AtomicBoolean stopped) {
    for (long hash = 1; !stopped.get(); hash++) {
      owner.store(TestAgent.keys(hash, 1));
    }
  }

  /** What is called right is the body of its key. */
  private static void copyAndCheck(
      TestAgent owner,
      ShmChannel channel,
      MemorySegment memory,
      CopyHelpers helpers,
      Map<Delivery.Copied, Integer> seen)
      throws Exception {
    List<ChunkKey> keys = new ArrayList<>();
    List<Long> checksums = new ArrayList<>();
    List<Long> offsets = new ArrayList<>();
    List<Integer> generations = new ArrayList<>();
    List<@Nullable MemorySegment> targets = new ArrayList<>();
    for (ChunkKey key : owner.cache.snapshots().keysInPolicyOrder(PAGES)) {
      try (ChunkLease lease = owner.cache.leasePrefix(List.of(key))) {
        if (lease.size() == 1) {
          keys.add(key);
          checksums.add(lease.checksum(0));
          offsets.add(lease.offset(0));
          generations.add(lease.generation(0));
          targets.add(memory.asSlice((long) targets.size() * PAGE_BYTES, PAGE_BYTES));
        }
      }
    }
    List<Integer> lengths = Collections.nCopies(keys.size(), PAGE_BYTES);
    List<Integer> tokens = Collections.nCopies(keys.size(), TestAgent.TOKENS);
    BatchedLookupAndGetRetMsg reply =
        new BatchedLookupAndGetRetMsg(
            keys.size(), 100L, 1L, lengths, tokens, checksums, offsets, generations);
    DeliveredChunks chunks = DeliveredChunks.of(reply, keys.size());
    try (Delivery delivery =
        channel.receive(chunks, reply, new ReplyBodies(1, List.of()), () -> {})) {
      List<Delivery.Copied> copied = delivery.copyTo(targets, helpers);
      for (int i = 0; i < copied.size(); i++) {
        seen.merge(copied.get(i), 1, Integer::sum);
        if (copied.get(i) == Delivery.Copied.RIGHT) {
          requireBodyOf(keys.get(i), memory.asSlice((long) i * PAGE_BYTES, PAGE_BYTES));
        }
      }
    }
  }

  private static void requireBodyOf(ChunkKey key, MemorySegment body) {
    MemorySegment right = MemorySegment.ofArray(new byte[PAGE_BYTES]);
    TestAgent.fill(right, key);
    assertThat(body.mismatch(right)).as("body of %s", key).isEqualTo(-1);
  }
}
