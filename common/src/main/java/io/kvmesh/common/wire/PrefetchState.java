package io.kvmesh.common.wire;

/** How far a prefetch is, or why it ended. On the wire the name in lower case. */
public enum PrefetchState {
  /** It is at work. */
  RUNNING,
  /** All is here that can be had: up to the end, or to the first chunk that nobody has. */
  DONE,
  /** It was told to stop, or who had begun it is gone. */
  CANCELLED,
  /** Its time is over. */
  TIMED_OUT,
  /** Nothing here could be evicted for the next chunk. */
  NO_ROOM,
  /** It may hold no more of the cache. */
  OVER_SHARE,
  /** Somebody has the next chunk, or may have it, and it didn't come. */
  FAILED
}
