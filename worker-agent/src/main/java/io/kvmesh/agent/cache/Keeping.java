package io.kvmesh.agent.cache;

/** What a cache does with chunks that were committed. */
public enum Keeping {
  /** They are resident until something else needs their memory. */
  HOT,
  /** They live as long as a lease holds them, and nobody else finds them. */
  STAGING,
  /** There is no memory: nothing can be claimed. */
  NOTHING
}
