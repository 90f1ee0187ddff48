package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.ChunkKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A move that is to be made.
 *
 * @param id by which it is asked for later
 * @param target address of the other worker's init port
 * @param keys of the chunks; null = all that are resident
 * @param copy whether they stay here
 * @param drain whether this agent is going: the target puts out only few of its own for it
 */
public record MoveOrder(
    String id, String target, @Nullable List<ChunkKey> keys, boolean copy, boolean drain) {

  /** Copies the collection. */
  public MoveOrder {
    keys = keys == null ? null : List.copyOf(keys);
  }

  /** A move as such. */
  public MoveOrder(String id, String target, @Nullable List<ChunkKey> keys, boolean copy) {
    this(id, target, keys, copy, false);
  }

  /** What is handed over to one that stays. */
  static MoveOrder ofDrain(String id, String target, List<ChunkKey> keys) {
    return new MoveOrder(id, target, keys, true, true);
  }
}
