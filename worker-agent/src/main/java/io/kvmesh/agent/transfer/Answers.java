package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.zmq.Frame;
import java.util.List;

/** Reads what a peer says to a request for chunks. */
final class Answers {

  private Answers() {}

  /**
   * The answer that a reply is.
   *
   * @param bodies frames that follow the reply
   * @param asked number of chunks that were asked for
   * @param pageBytes of the largest chunk that can be kept
   * @param ownerEpoch life of the owner that was asked
   */
  static GetAnswer read(
      PeerReply reply, List<Frame> bodies, int asked, int pageBytes, long ownerEpoch) {
    return switch (reply) {
      case P2PErrorMsg error ->
          new GetAnswer.Refused(error.errorCode(), String.valueOf(error.detail()));
      case BatchedLookupAndPutRetMsg other -> new GetAnswer.Garbled("a reply to a push");
      case BatchedLookupAndGetRetMsg found when isOfAnotherLife(found, ownerEpoch) ->
          new GetAnswer.Refused(P2PErrorMsg.NOT_INITIALIZED, "answers as epoch " + found.epoch());
      case BatchedLookupAndGetRetMsg found -> delivered(found, bodies, asked, pageBytes);
    };
  }

  private static boolean isOfAnotherLife(BatchedLookupAndGetRetMsg found, long ownerEpoch) {
    Long epoch = found.epoch();
    return epoch != null && epoch != ownerEpoch;
  }

  private static GetAnswer delivered(
      BatchedLookupAndGetRetMsg found, List<Frame> bodies, int asked, int pageBytes) {
    try {
      return new GetAnswer.Delivered(Delivery.of(found, bodies, asked, pageBytes));
    } catch (BrokenReplyException e) {
      return new GetAnswer.Garbled(String.valueOf(e.getMessage()));
    }
  }
}
