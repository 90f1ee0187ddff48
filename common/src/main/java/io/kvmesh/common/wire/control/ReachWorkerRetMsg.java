package io.kvmesh.common.wire.control;

import java.util.List;

/** Ours: what became of each peer that was to be tried, in the same order. */
public record ReachWorkerRetMsg(List<PeerReach> peers) implements ControlReply {

  /** Copies the collection. */
  public ReachWorkerRetMsg {
    peers = List.copyOf(peers);
  }
}
