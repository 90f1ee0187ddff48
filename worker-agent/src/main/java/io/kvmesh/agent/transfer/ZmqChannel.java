package io.kvmesh.agent.transfer;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import java.util.function.Supplier;

/**
 * Bodies are the frames after the reply. They are all here when the reply is, in receive buffers of
 * ours, so the loan ends at once.
 */
final class ZmqChannel implements TransferChannel {

  private final Supplier<FrameContent> content;
  private final Counters<PullCount> counters;

  /**
   * @param content how bytes lie in the frames; for each reply one, which one thread uses
   */
  ZmqChannel(Supplier<FrameContent> content, Counters<PullCount> counters) {
    this.content = content;
    this.counters = counters;
  }

  @Override
  public String name() {
    return Channels.ZMQ;
  }

  @Override
  public Delivery receive(
      DeliveredChunks chunks,
      BatchedLookupAndGetRetMsg reply,
      ReplyBodies bodies,
      BorrowedPages.Loan loan)
      throws BrokenReplyException {
    loan.end();
    CompressedForms forms = CompressedForms.of(reply, chunks);
    return FramedDelivery.of(chunks, forms, bodies, content.get(), counters);
  }

  @Override
  public boolean broken() {
    return false;
  }

  @Override
  public void close() {}
}
