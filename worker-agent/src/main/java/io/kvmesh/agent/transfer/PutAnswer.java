package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndGetRetMsg;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutRetMsg;
import io.kvmesh.common.wire.peer.P2PErrorMsg;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.wire.peer.PutOutcome;
import java.time.Duration;
import java.util.List;

/** What came of telling a peer to take chunks, once. */
sealed interface PutAnswer {

  /** A day: a promise of more is as good, and could not be reckoned with. */
  long MOST_HELD_MILLIS = 24 * 60 * 60 * 1000L;

  /**
   * The peer's receipt.
   *
   * @param epoch the peer's life, in which it has what it took
   * @param outcomes by chunk
   * @param held for so long after the request was sent the peer keeps what it has now
   */
  record Receipt(long epoch, List<PutOutcome> outcomes, Duration held) implements PutAnswer {}

  /** There is no receipt: the peer may have taken any of them. */
  record Failed(GetAnswer why) implements PutAnswer {}

  /**
   * The answer that a reply is.
   *
   * @param asked number of chunks to take
   * @param ownerEpoch life of the peer that was told
   */
  static PutAnswer of(PeerReply reply, int asked, long ownerEpoch) {
    return switch (reply) {
      case P2PErrorMsg error ->
          new Failed(new GetAnswer.Refused(error.errorCode(), String.valueOf(error.detail())));
      case BatchedLookupAndGetRetMsg other -> garbled("a reply to a request for chunks");
      case BatchedLookupAndPutRetMsg receipt -> receipt(receipt, asked, ownerEpoch);
    };
  }

  private static PutAnswer receipt(BatchedLookupAndPutRetMsg reply, int asked, long ownerEpoch) {
    List<PutOutcome> outcomes = reply.outcomes();
    Long epoch = reply.epoch();
    if (outcomes == null || epoch == null || outcomes.size() != asked) {
      return garbled("a receipt that doesn't tell of each of %d chunks".formatted(asked));
    }
    if (epoch != ownerEpoch) {
      return new Failed(
          new GetAnswer.Refused(P2PErrorMsg.NOT_INITIALIZED, "answers as epoch " + epoch));
    }
    Long held = reply.heldMillis();
    return new Receipt(
        epoch,
        outcomes,
        Duration.ofMillis(held == null ? 0 : Math.clamp(held, 0, MOST_HELD_MILLIS)));
  }

  private static Failed garbled(String reason) {
    return new Failed(new GetAnswer.Garbled(reason));
  }
}
