package io.kvmesh.common.wire.engine;

/** What came of asking for a chunk's memory. On the wire the name in lower case. */
public enum ClaimOutcome {
  /** The memory is the session's until it commits or aborts. */
  CLAIMED,
  /** The chunk is here already. */
  RESIDENT,
  /** Nothing could be evicted for it. */
  NO_SPACE,
  /** The body is larger than anything that can be given out. */
  TOO_LARGE,
  /** It is a part of a chunk, and such aren't kept. */
  UNFULL,
  /** The body isn't as long as its number of tokens says. */
  WRONG_SIZE,
  /** This agent keeps no chunks that are stored. */
  NOT_KEPT
}
