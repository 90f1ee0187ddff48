package io.kvmesh.common.wire.control;

/**
 * What became of a chunk that was to be moved, copied or handed over. On the wire the name in lower
 * case.
 */
public enum MoveOutcome {
  /** It is at the target and no longer here. */
  MOVED,
  /** It came to the target and stays here, as was asked. */
  COPIED,
  /** It was at the target already and stays here, as was asked. */
  RESIDENT,
  /** Another worker has it, so it was not handed over. */
  ELSEWHERE,
  /** It is at the target, and here as well: somebody holds it, by a lease or a pin. */
  IN_USE,
  /** It is at the target, and here as well: the target no longer promises to keep it. */
  NOT_HELD,
  /** The target has no room for it, or holds too much for moves. */
  NO_SPACE,
  /** The target doesn't keep such a chunk: too large, not full, of another size, or none at all. */
  REFUSED,
  /** The target couldn't read it from here. */
  UNREAD,
  /** The target was told and gave no receipt; it stays here. */
  UNCONFIRMED,
  /** It was not here when its turn came. */
  GONE,
  /** The move ended before its turn, see the reason that is told. */
  UNTRIED;

  /** Whether the target has it. */
  public boolean isThere() {
    return switch (this) {
      case MOVED, COPIED, RESIDENT, IN_USE, NOT_HELD -> true;
      case ELSEWHERE, NO_SPACE, REFUSED, UNREAD, UNCONFIRMED, GONE, UNTRIED -> false;
    };
  }
}
