package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * Chunks from here and from a peer; their bodies follow, a frame each. By chunk its bytes and
 * tokens; epoch and sequence of the cache's last event.
 */
public record EngineRetrieveRetMsg(
    long leaseId,
    int numLocal,
    int numPeer,
    List<Integer> lengths,
    List<Integer> tokens,
    String peerOutcome,
    long epoch,
    long sequence)
    implements EngineReply {

  /** Copies the collections. */
  public EngineRetrieveRetMsg {
    lengths = List.copyOf(lengths);
    tokens = List.copyOf(tokens);
  }
}
