package io.kvmesh.common.wire.engine;

/** What became of a chunk to be stored. On the wire the name in lower case. */
public enum StoreOutcome {
  /** It is resident now. */
  STORED,
  /** It was resident already; the old body stays. */
  RESIDENT,
  /** Nothing could be evicted for it. */
  NO_SPACE,
  /** The body is larger than a page. */
  TOO_LARGE
}
