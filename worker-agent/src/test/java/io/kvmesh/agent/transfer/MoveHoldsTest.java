package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.event.EventOutbox;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkKey;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long what a move brought is held, and how much. */
class MoveHoldsTest {

  private static final MoveHolds.Id ONE = new MoveHolds.Id("a:1", 1);
  private static final MoveHolds.Id OTHER = new MoveHolds.Id("a:1", 2);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final PageArena arena = PageArena.anonymous(16 * 4096);
  private final ChunkCache cache =
      new ChunkCache(
          new PageAllocator(arena, 4096), PolicyName.LRU.create(16), new EventOutbox(1000));
  private final MoveHolds holds = new MoveHolds(4, 3, Duration.ofNanos(100), now::get);

  @AfterEach
  void unmap() {
    arena.close();
  }

  private ChunkLease lease(long from, int count) {
    ChunkLease lease = cache.newLease();
    for (ChunkKey key : TestAgent.keys(from, count)) {
      if (cache.claim(key, 4096, 1, lease) instanceof PendingChunk chunk) {
        cache.commit(chunk, lease);
      }
    }
    return lease;
  }

  private void keep(MoveHolds.Id move, long from, int count) {
    holds.keep(move, lease(from, count), holds.reserve(count), 0);
  }

  private int leased() {
    return cache.stats().leasedChunks();
  }

  @Test
  void pushThatBroughtNothing_keepsTheMoveAndNothingElse() {
    keep(ONE, 1, 0);
    assertThat(holds.end(ONE)).as("nothing is held for it").isFalse();
    keep(ONE, 1, 1);
    now.addAndGet(60);
    keep(ONE, 1, 0);
    now.addAndGet(60);
    assertThat(holds.expire()).as("held anew").isZero();
    assertThat(leased()).isEqualTo(1);
    assertThat(holds.end(ONE)).isTrue();
    assertThat(leased()).isZero();
  }

  @Test
  void reserve_givesNoMoreThanThereIs() {
    assertThat(holds.reserve(3)).isEqualTo(3);
    assertThat(holds.reserve(3)).isEqualTo(1);
    assertThat(holds.reserve(3)).isZero();
    holds.giveBack(1);
    assertThat(holds.reserve(3)).isEqualTo(1);
    holds.keep(ONE, lease(1, 2), 3, 0);
    assertThat(holds.chunks()).as("2 are held, 1 set aside").isEqualTo(3);
  }

  @Test
  void whatGaveWay_countsUntilTheMoveIsOver() {
    assertThat(holds.reserveDisplaced(2)).isEqualTo(2);
    holds.keep(ONE, lease(1, 1), holds.reserve(1), 1);
    holds.giveBackDisplaced(1);
    assertThat(holds.reserveDisplaced(5)).as("of 3, 1 gave way").isEqualTo(2);
    holds.keep(OTHER, lease(2, 0), 0, 2);
    assertThat(holds.reserveDisplaced(5)).as("nothing is held for it").isEqualTo(2);
    holds.giveBackDisplaced(2);
    assertThat(holds.end(ONE)).isTrue();
    assertThat(holds.reserveDisplaced(5)).isEqualTo(3);
  }

  @Test
  void hold_endsWhenItsMoveIsOverAndNoOther() {
    keep(ONE, 1, 2);
    keep(ONE, 3, 1);
    keep(OTHER, 4, 1);
    assertThat(leased()).isEqualTo(4);
    assertThat(holds.end(ONE)).isTrue();
    assertThat(holds.end(ONE)).isFalse();
    assertThat(leased()).isEqualTo(1);
    holds.endAll();
    assertThat(leased()).isZero();
    assertThat(holds.chunks()).isZero();
  }

  @Test
  void hold_endsByTime_begunAnewWithEachPush() {
    keep(ONE, 1, 1);
    now.addAndGet(99);
    assertThat(holds.expire()).isZero();
    keep(ONE, 2, 1);
    now.addAndGet(99);
    assertThat(holds.expire()).isZero();
    assertThat(leased()).isEqualTo(2);
    now.addAndGet(1);
    assertThat(holds.expire()).isEqualTo(1);
    assertThat(leased()).isZero();
  }
}
