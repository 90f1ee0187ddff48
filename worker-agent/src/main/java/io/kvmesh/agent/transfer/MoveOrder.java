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
 */
public record MoveOrder(String id, String target, @Nullable List<ChunkKey> keys, boolean copy) {

  /** Copies the collection. */
  public MoveOrder {
    keys = keys == null ? null : List.copyOf(keys);
  }
}
