package io.kvmesh.common.wire.engine;

import java.util.List;

/** Asks for memory for these chunks, to be written in place. By chunk its bytes and tokens. */
public record EngineClaimMsg(
    long sessionId, List<String> keys, List<Integer> lengths, List<Integer> tokens)
    implements EngineRequest {

  /** Copies the collections. */
  public EngineClaimMsg {
    keys = List.copyOf(keys);
    lengths = List.copyOf(lengths);
    tokens = List.copyOf(tokens);
  }
}
