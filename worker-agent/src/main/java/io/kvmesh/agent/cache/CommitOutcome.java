package io.kvmesh.agent.cache;

/** What came of a commit; either way the lease now holds the resident chunk. */
public enum CommitOutcome {
  /** The chunk is resident. */
  STORED,
  /** A commit of the same key came first: its body stays, this one's page is free again. */
  RESIDENT
}
