package io.kvmesh.common.wire;

/** What became of a chunk that was to be prefetched. On the wire the name in lower case. */
public enum PrefetchOutcome {
  /** It was here already. */
  RESIDENT,
  /** It came from a peer. */
  BROUGHT,
  /** Nobody has it, or not the one before it. */
  MISSING,
  /** It didn't come from a peer that should have it. */
  FAILED,
  /** Its turn hasn't come. */
  UNTRIED;

  /** Whether it is here. */
  public boolean isHere() {
    return this == RESIDENT || this == BROUGHT;
  }
}
