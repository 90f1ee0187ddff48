package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.peer.BatchedLookupAndPutMsg;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a peer wants this agent to take.
 *
 * @param sender address of its init port
 * @param tokens by chunk
 * @param move that it is a part of; null = none
 * @param ours whether the sender understands our own fields
 * @param drain whether the sender is going: few are put out for what it pushes
 */
record PutOrder(
    String sender,
    List<ChunkKey> keys,
    List<Long> tokens,
    MoveHolds.@Nullable Id move,
    boolean ours,
    boolean drain,
    Deadline deadline) {

  private static final int MOST_KEYS = 8192;

  /** Copies the collections. */
  PutOrder {
    keys = List.copyOf(keys);
    tokens = List.copyOf(tokens);
  }

  /** Whether the sender is an agent of ours, and not one that speaks LMCache's messages alone. */
  static boolean isOurs(BatchedLookupAndPutMsg put) {
    return put.epoch() != null;
  }

  /**
   * Reads a message.
   *
   * @throws IllegalArgumentException if a key is none, or the lists don't fit together
   */
  static PutOrder of(BatchedLookupAndPutMsg put, Deadline deadline) {
    int count = put.keys().size();
    if (count > MOST_KEYS || put.offsets().size() != count) {
      throw new IllegalArgumentException(
          "a push has at most %d keys and an offset for each, this one has %d and %d"
              .formatted(MOST_KEYS, count, put.offsets().size()));
    }
    List<ChunkKey> keys = new ArrayList<>(count);
    for (String key : put.keys()) {
      keys.add(ChunkKey.parse(key));
    }
    Long move = put.moveId();
    MoveHolds.Id id = move == null ? null : new MoveHolds.Id(put.senderId(), move);
    boolean drain = Boolean.TRUE.equals(put.drain());
    return new PutOrder(put.senderId(), keys, put.offsets(), id, isOurs(put), drain, deadline);
  }

  /** Whether it is the last chunk, which may have fewer tokens. */
  boolean isLast(int index) {
    return index == keys.size() - 1;
  }
}
