package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.zmq.Frame;
import java.util.List;

/**
 * Bodies are the frames after the reply. They are all here when the reply is, in receive buffers of
 * ours, so the loan ends at once.
 */
final class ZmqChannel implements TransferChannel {

  @Override
  public String name() {
    return Channels.ZMQ;
  }

  @Override
  public Delivery receive(
      BatchedLookupAndGetRetMsg reply,
      List<Frame> frames,
      int asked,
      int pageBytes,
      BorrowedPages.Loan loan)
      throws BrokenReplyException {
    loan.end();
    return FramedDelivery.of(DeliveredChunks.of(reply, asked, pageBytes), frames);
  }

  @Override
  public void close() {}
}
