package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.common.count.Counters;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Chunks in the owner's memory, on loan until this is closed; checked after the copy. */
final class ShmDelivery implements Delivery {

  private final DeliveredChunks chunks;
  private final List<Long> offsets;
  private final List<Integer> generations;
  private final MappedArena arena;
  private final BorrowedPages.Loan loan;
  private final Counters<PullCount> counters;
  private int nextChunk;
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
    this.chunks = chunks;
    this.offsets = offsets;
    this.generations = generations;
    this.arena = arena;
    this.loan = loan;
    this.counters = counters;
  }

  @Override
  public int chunks() {
    return chunks.count();
  }

  @Override
  public int length() {
    return chunks.lengths().get(nextChunk);
  }

  @Override
  public int tokens() {
    return chunks.tokens().get(nextChunk);
  }

  @Override
  public boolean copyNextTo(MemorySegment target) {
    int chunk = nextChunk++;
    ChunkChecksum sum = new ChunkChecksum();
    if (!arena.read(offsets.get(chunk), generations.get(chunk), target, sum::add)) {
      counters.count(PullCount.CHUNK_CHANGED);
      return false;
    }
    return sum.value() == chunks.checksums().get(chunk);
  }

  @Override
  public long lastChecksum() {
    return chunks.checksums().get(nextChunk - 1);
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
