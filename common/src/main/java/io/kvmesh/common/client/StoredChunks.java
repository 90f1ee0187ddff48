package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.StoreOutcome;
import java.util.List;

/**
 * What became of chunks that were to be kept.
 *
 * @param outcomes by chunk
 * @param epoch of the agent's life
 * @param sequence of its last event: a controller that has applied it knows of these chunks
 */
public record StoredChunks(List<StoreOutcome> outcomes, long epoch, long sequence) {

  /** Copies the list. */
  public StoredChunks {
    outcomes = List.copyOf(outcomes);
  }
}
