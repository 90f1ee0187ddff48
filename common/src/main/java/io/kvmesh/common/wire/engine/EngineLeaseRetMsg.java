package io.kvmesh.common.wire.engine;

import java.util.List;

/**
 * As EngineRetrieveRetMsg; where each chunk begins in the file takes the place of the bodies.
 *
 * @param generations by chunk: another one is found in the table once its memory was given back
 */
public record EngineLeaseRetMsg(
    long leaseId,
    int numLocal,
    int numPeer,
    List<Long> offsets,
    List<Integer> lengths,
    List<Integer> tokens,
    List<Integer> generations,
    String peerOutcome,
    long epoch,
    long sequence)
    implements EngineReply {

  /** Copies the collections. */
  public EngineLeaseRetMsg {
    offsets = List.copyOf(offsets);
    lengths = List.copyOf(lengths);
    tokens = List.copyOf(tokens);
    generations = List.copyOf(generations);
  }
}
