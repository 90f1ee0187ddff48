package io.kvmesh.agent.cache;

/** What came of a commit; but for CLOSED the lease now holds the chunk. */
public enum CommitOutcome {
  /** The chunk is resident. */
  STORED,
  /** The chunk lives as long as a lease holds it. */
  STAGED,
  /** A commit of the same key came first: its body stays, this one's memory is free again. */
  RESIDENT,
  /** The cache takes nothing: it is closing, mostly. The body's memory is free again. */
  CLOSED
}
