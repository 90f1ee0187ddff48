package io.kvmesh.common.wire.peer;

/** What became of a chunk that a peer was told to take. On the wire the name in lower case. */
public enum PutOutcome {
  /** It was read and is resident now. */
  READ,
  /** It was resident already. */
  RESIDENT,
  /** Nothing could be evicted for it, or too much is held for moves. */
  NO_SPACE,
  /** The body is larger than anything that can be given out. */
  TOO_LARGE,
  /** It is a part of a chunk, and such aren't kept, or only as the last one. */
  UNFULL,
  /** The body isn't as long as its number of tokens says, or it has other tokens than were told. */
  WRONG_SIZE,
  /** The receiver keeps no chunks, or is closing. */
  NOT_KEPT,
  /** The sender didn't have it when it was read, or lacked one before it. */
  NOT_SENT,
  /** The sender couldn't be reached, went away, refused or answered with garbage. */
  UNREADABLE,
  /** The bytes that came aren't those that were sent. */
  HARMED,
  /** The deadline passed before it came. */
  TIMED_OUT;

  /** Whether the receiver has it. */
  public boolean isThere() {
    return this == READ || this == RESIDENT;
  }
}
