package io.kvmesh.agent.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chunks that are held for a move, and removed after it. */
@Timeout(30)
class ChunkMovesTest {

  private final PageArena arena = PageArena.anonymous(8 * 4096);
  private final RecordingSink events = new RecordingSink();
  private final ChunkCache cache =
      new ChunkCache(new PageAllocator(arena, 4096), PolicyName.LRU.create(8), events);

  @AfterEach
  void unmap() {
    arena.close();
  }

  private static List<ChunkKey> keys(long from, int count) {
    return LongStream.range(from, from + count)
        .mapToObj(hash -> ChunkKey.parse("m@1@0@%x@bfloat16".formatted(hash)))
        .toList();
  }

  private void store(List<ChunkKey> keys) {
    try (ChunkLease lease = cache.newLease()) {
      for (ChunkKey key : keys) {
        if (cache.claim(key, 4096, 1, lease) instanceof PendingChunk chunk) {
          cache.commit(chunk, lease);
        }
      }
    }
  }

  @Test
  void hold_takesThoseThatAreResidentWhateverIsMissingBetween() {
    store(keys(2, 2));
    store(keys(5, 1));
    long lookups = cache.stats().lookups();
    try (ChunkLease lease = cache.newLease()) {
      assertThat(cache.moves().hold(keys(1, 5), lease))
          .containsExactly(keys(2, 1).getFirst(), keys(3, 1).getFirst(), keys(5, 1).getFirst());
      assertThat(lease.size()).isEqualTo(3);
      assertThat(lease.key(2)).isEqualTo(keys(5, 1).getFirst());
      assertThat(cache.stats().leasedChunks()).isEqualTo(3);
    }
    assertThat(cache.stats().leasedChunks()).isZero();
    assertThat(cache.stats().lookups()).as("it is no lookup").isEqualTo(lookups);
  }

  @Test
  void remove_leavesWhatIsHeldAndMindsNothingThatIsGone() {
    store(keys(1, 4));
    try (ChunkLease held = cache.leasePrefix(keys(1, 2))) {
      assertThat(held.size()).isEqualTo(2);
      assertThat(cache.moves().remove(keys(1, 6), Duration.ZERO)).isEqualTo(keys(1, 2));
      assertThat(cache.stats().residentChunks()).isEqualTo(2);
    }
    assertThat(cache.moves().remove(keys(1, 6), Duration.ZERO)).isEmpty();
    assertThat(cache.stats().removed().get(RemovalCause.MOVED)).isEqualTo(4);
  }

  @Test
  void remove_waitsForThoseWhoHoldAndNoLonger() throws Exception {
    store(keys(1, 4));
    ChunkLease held = cache.leasePrefix(keys(1, 2));
    CompletableFuture<List<ChunkKey>> kept =
        CompletableFuture.supplyAsync(
            () -> cache.moves().remove(keys(1, 4), Duration.ofSeconds(20)),
            task -> Thread.ofPlatform().start(task));
    await().until(() -> cache.stats().residentChunks() == 2);
    held.close();
    assertThat(kept.get(10, TimeUnit.SECONDS)).isEmpty();

    store(keys(1, 1));
    try (ChunkLease again = cache.leasePrefix(keys(1, 1))) {
      assertThat(again.size()).isEqualTo(1);
      assertThat(cache.moves().remove(keys(1, 1), Duration.ofMillis(20))).isEqualTo(keys(1, 1));
    }
  }

  @Test
  void remove_thatIsInterrupted_tellsWhatItHasRemoved() {
    store(keys(1, 4));
    try (ChunkLease held = cache.leasePrefix(keys(1, 2))) {
      assertThat(held.size()).isEqualTo(2);
      Thread.currentThread().interrupt();
      assertThat(cache.moves().remove(keys(1, 4), Duration.ofSeconds(20))).isEqualTo(keys(1, 2));
      assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    }
    assertThat(cache.stats().removed().get(RemovalCause.MOVED)).isEqualTo(2);
    assertThat(cache.stats().residentChunks()).isEqualTo(2);
  }
}
