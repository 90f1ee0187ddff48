package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.ClaimOutcome;
import io.kvmesh.common.wire.engine.EngineClaimRetMsg;
import io.kvmesh.common.wire.engine.EngineCommitMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory that was claimed: write each page that was, then commit. One thread. */
public final class ClaimedPages implements AutoCloseable {

  private final EngineClient client;
  private final EngineClaimRetMsg reply;
  private final List<MemorySegment> pages;
  private final AtomicBoolean ended = new AtomicBoolean();

  ClaimedPages(EngineClient client, EngineClaimRetMsg reply, List<MemorySegment> pages) {
    this.client = client;
    this.reply = reply;
    this.pages = List.copyOf(pages);
  }

  /** What came of each chunk. */
  public List<ClaimOutcome> outcomes() {
    return reply.outcomes();
  }

  /** Whether a chunk was claimed. */
  public boolean isClaimed(int index) {
    return reply.outcomes().get(index) == ClaimOutcome.CLAIMED;
  }

  /**
   * Where a chunk's bytes go, until the commit.
   *
   * @throws IllegalStateException if it wasn't claimed, or is committed
   */
  public MemorySegment page(int index) {
    if (!isClaimed(index) || ended.get()) {
      throw new IllegalStateException("Chunk %d isn't claimed".formatted(index));
    }
    return pages.get(index);
  }

  /**
   * Keeps the chunks that were claimed; what became of each of those. If no answer comes, the agent
   * may have kept them. Where too much was under way it may be tried again.
   *
   * @throws IllegalStateException if none was claimed, or they are committed or given back
   */
  public StoredChunks commit() throws EngineClientException, InterruptedException {
    if (reply.claimId() == 0 || !ended.compareAndSet(false, true)) {
      throw new IllegalStateException("There is nothing to commit");
    }
    EngineCommitMsg commit = new EngineCommitMsg(client.id(), reply.claimId(), 0, false);
    int claimed =
        Math.toIntExact(reply.outcomes().stream().filter(it -> it == ClaimOutcome.CLAIMED).count());
    try {
      return client.stored(client.ask(EngineStoreRetMsg.class, commit), claimed);
    } catch (EngineClientException e) {
      ended.set(!e.isOverload());
      throw e;
    }
  }

  /** Gives back what isn't committed; doesn't wait for the agent. Idempotent. */
  @Override
  public void close() {
    if (ended.compareAndSet(false, true)) {
      client.abort(reply.claimId());
    }
  }
}
