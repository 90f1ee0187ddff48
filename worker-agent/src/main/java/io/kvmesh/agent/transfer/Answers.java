package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.zmq.Frame;
import java.util.List;

/**
 * Reads what a peer says to a request for chunks.
 *
 * @param channel how its chunks come
 * @param pageBytes of the largest chunk that can be kept
 * @param ownerEpoch life of the owner that was asked
 */
record Answers(TransferChannel channel, int pageBytes, long ownerEpoch) {

  /**
   * The answer that a reply is.
   *
   * @param bodies frames that follow the reply
   * @param asked number of chunks that were asked for
   * @param loan of the owner's pages; ended unless the answer is a delivery, which then ends it
   */
  GetAnswer read(PeerReply reply, List<Frame> bodies, int asked, BorrowedPages.Loan loan) {
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
      BatchedLookupAndGetRetMsg found, List<Frame> bodies, int asked, BorrowedPages.Loan loan) {
    try {
      return new GetAnswer.Delivered(channel.receive(found, bodies, asked, pageBytes, loan));
    } catch (BrokenReplyException e) {
      return new GetAnswer.Garbled(String.valueOf(e.getMessage()));
    }
  }
}
