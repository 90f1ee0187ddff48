package io.kvmesh.agent.transfer;

import io.kvmesh.agent.memory.MappedArena;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import java.util.List;

/**
 * Bodies lie in the owner's memory, which is mapped here read-only. The loan keeps the owner from
 * giving it out anew while it is copied; should the loan end early, as with a connection that the
 * owner sees die, the generations tell.
 */
final class ShmChannel implements TransferChannel {

  private final MappedArena arena;
  private final Counters<PullCount> counters;
  private boolean closed;

  /**
   * @param arena whose use passes to the channel
   */
  ShmChannel(MappedArena arena, Counters<PullCount> counters) {
    this.arena = arena;
    this.counters = counters;
  }

  @Override
  public String name() {
    return Channels.SHM;
  }

  @Override
  public Delivery receive(
      DeliveredChunks chunks,
      BatchedLookupAndGetRetMsg reply,
      ReplyBodies bodies,
      BorrowedPages.Loan loan)
      throws BrokenReplyException {
    int count = chunks.count();
    DeliveredChunks.require(
        bodies.frames().isEmpty(), "%d frames came beside shared memory", bodies.frames().size());
    List<Long> offsets = DeliveredChunks.listOf(reply.pageOffsets(), count, "page offsets");
    List<Integer> generations = DeliveredChunks.listOf(reply.generations(), count, "generations");
    for (int i = 0; i < count; i++) {
      long offset = offsets.get(i);
      int length = chunks.lengths().get(i);
      DeliveredChunks.require(
          offset >= 0 && offset <= arena.byteSize() - length,
          "chunk %d at %d with %d bytes in a memory of %d",
          i,
          offset,
          length,
          arena.byteSize());
    }
    return new ShmDelivery(chunks, offsets, generations, arena.use(), loan, counters);
  }

  @Override
  public boolean broken() {
    return arena.broken();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      arena.close();
    }
  }
}
