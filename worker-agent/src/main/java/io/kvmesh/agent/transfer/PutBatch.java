package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import java.util.List;

/**
 * Chunks that a peer is told to take.
 *
 * @param keys as text
 * @param tokens by chunk
 * @param moveId of the move that they are a part of
 * @param drain whether this agent is going
 */
record PutBatch(List<String> keys, List<Long> tokens, long moveId, boolean drain) {

  /** Copies the collections. */
  PutBatch {
    keys = List.copyOf(keys);
    tokens = List.copyOf(tokens);
  }

  /** The message; its deadline is what is left now, less a tenth for the way back. */
  BatchedLookupAndPutMsg message(String sender, long epoch, long peerEpoch, Deadline deadline) {
    long millis = Math.max(1, deadline.remaining().toMillis() * 9 / 10);
    return new BatchedLookupAndPutMsg(
        sender, keys, tokens, List.of(), epoch, peerEpoch, moveId, millis, drain ? true : null);
  }
}
