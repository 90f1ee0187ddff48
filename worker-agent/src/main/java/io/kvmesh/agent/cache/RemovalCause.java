package io.kvmesh.agent.cache;

/** Why a chunk left the cache. */
public enum RemovalCause {
  /** Another chunk needed the room. */
  EVICTED,
  /** A chunk came whose wide hash begins with the same 64 bits. */
  DISPLACED,
  /** Another body of the same key took its place. */
  REPLACED,
  /** Somebody asked for the removal of this chunk. */
  REMOVED,
  /** Somebody asked for the removal of everything. */
  CLEARED,
  /** It was moved to another worker. */
  MOVED,
  /** It was kept for as long as it was meant to be. */
  EXPIRED,
  /** The cache is closing. */
  SHUTDOWN
}
