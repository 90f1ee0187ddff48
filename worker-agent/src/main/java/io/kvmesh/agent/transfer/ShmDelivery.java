package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.common.count.Counters;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chunks in the owner's memory, on loan until this is closed; checked after the copy. */
final class ShmDelivery extends Delivery {

  private final List<Long> offsets;
  private final List<Integer> generations;
  private final MappedArena arena;
  private final BorrowedPages.Loan loan;
  private final Counters<PullCount> counters;
  private boolean closed;

  /**
   * @param offsets where each chunk begins, all within the arena
   * @param arena a use of it, which passes to the delivery
   */
  ShmDelivery(
      DeliveredChunks chunks,
      List<Long> offsets,
      List<Integer> generations,
      MappedArena arena,
      BorrowedPages.Loan loan,
      Counters<PullCount> counters) {
    super(chunks);
    this.offsets = offsets;
    this.generations = generations;
    this.arena = arena;
    this.loan = loan;
    this.counters = counters;
  }

  @Override
  boolean copiesInAnyOrder() {
    return true;
  }

  @Override
  Copied copy(int chunk, MemorySegment target, ChunkChecksum sum) {
    if (arena.read(offsets.get(chunk), generations.get(chunk), target, sum::add)) {
      return Copied.RIGHT;
    }
    counters.count(PullCount.CHUNK_CHANGED);
    return Copied.CHANGED;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      arena.close();
      loan.end();
    }
  }
}
