package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.WorkerId;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * This agent as its peers see it.
 *
 * @param id who it is
 * @param pageBytes bytes of a full chunk
 * @param chunkTokens tokens of a full chunk
 * @param epoch of this life, negative while Kafka hasn't told it; any thread
 * @param fenced whether a later life of the same worker was seen; any thread
 * @param channels how bytes may come and go
 */
public record LocalPeer(
    WorkerId id,
    int pageBytes,
    int chunkTokens,
    LongSupplier epoch,
    BooleanSupplier fenced,
    Channels channels) {

  /** Whose bytes come and go over the network alone. */
  public LocalPeer(
      WorkerId id, int pageBytes, int chunkTokens, LongSupplier epoch, BooleanSupplier fenced) {
    this(id, pageBytes, chunkTokens, epoch, fenced, Channels.ZMQ_ALONE);
  }

  /** Whether its chunks may be offered to peers: the epoch is known and is the latest. */
  public boolean offers() {
    return epoch.getAsLong() >= 0 && !fenced.getAsBoolean();
  }
}
