package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.PendingChunk;
import java.util.List;

/**
 * Memory that a client writes in place.
 *
 * @param cache whose memory it is
 * @param pending to be committed or aborted, once
 */
record Claimed(ChunkCache cache, List<PendingChunk> pending) implements Kept {

  Claimed {
    pending = List.copyOf(pending);
  }

  @Override
  public int chunks() {
    return pending.size();
  }

  @Override
  public long bytes() {
    return pending.stream().mapToLong(PendingChunk::bytes).sum();
  }

  @Override
  public void giveBack() {
    cache.abort(pending);
  }
}
