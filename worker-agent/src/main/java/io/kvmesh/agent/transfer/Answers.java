package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;

/**
 * Reads what a peer says to a request for chunks.
 *
 * @param channel how its chunks come
 * @param ownerEpoch life of the owner that was asked
 * @param traffic counts what comes
 */
record Answers(TransferChannel channel, long ownerEpoch, ChannelTraffic traffic) {

  /**
   * The answer that a reply is.
   *
   * @param bodies what followed the reply
   * @param asked number of chunks that were asked for
   * @param loan of the owner's pages; ended unless the answer is a delivery, which then ends it
   */
  GetAnswer read(PeerReply reply, ReplyBodies bodies, int asked, BorrowedPages.Loan loan) {
    GetAnswer answer =
        switch (reply) {
          case P2PErrorMsg error ->
              new GetAnswer.Refused(error.errorCode(), String.valueOf(error.detail()));
          case BatchedLookupAndPutRetMsg other -> new GetAnswer.Garbled("a reply to a push");
          case BatchedLookupAndGetRetMsg found when isOfAnotherLife(found) ->
              new GetAnswer.Refused(
                  P2PErrorMsg.NOT_INITIALIZED, "answers as epoch " + found.epoch());
          case BatchedLookupAndGetRetMsg found -> delivered(found, bodies, asked, loan);
        };
    if (!(answer instanceof GetAnswer.Delivered)) {
      loan.end();
    }
    return answer;
  }

  private boolean isOfAnotherLife(BatchedLookupAndGetRetMsg found) {
    Long epoch = found.epoch();
    return epoch != null && epoch != ownerEpoch;
  }

  private GetAnswer delivered(
      BatchedLookupAndGetRetMsg found, ReplyBodies bodies, int asked, BorrowedPages.Loan loan) {
    try {
      DeliveredChunks chunks = DeliveredChunks.of(found, asked);
      Delivery delivery = channel.receive(chunks, found, bodies, loan);
      traffic.delivered(channel.name(), chunks.bytes());
      return new GetAnswer.Delivered(delivery);
    } catch (BrokenReplyException e) {
      return new GetAnswer.Garbled(String.valueOf(e.getMessage()));
    }
  }
}
