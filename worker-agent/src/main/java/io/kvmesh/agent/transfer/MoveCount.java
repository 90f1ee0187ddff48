package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.control.MoveOutcome;

/** What happens when chunks are moved or handed over from here to another worker. */
public enum MoveCount {
  /** A move that tried all its chunks. */
  MOVE,
  /** A move that ended before it had. */
  MOVE_STOPPED,
  /** A move that was refused because another is under way. */
  MOVE_REFUSED,
  /** A push that was sent again. */
  RETRY,
  /** A chunk that is at the target and no longer here. */
  CHUNK_MOVED,
  /** A chunk that came to the target and stays here, as was asked. */
  CHUNK_COPIED,
  /** A chunk that was at the target already and stays here, as was asked. */
  CHUNK_RESIDENT,
  /** A chunk that another worker has, so that it was not handed over. */
  CHUNK_ELSEWHERE,
  /** A chunk that is at the target and stays here since somebody holds it. */
  CHUNK_IN_USE,
  /** A chunk that is at the target and stays here since the target may have let go of it. */
  CHUNK_NOT_HELD,
  /** A chunk for which the target has no room. */
  CHUNK_NO_SPACE,
  /** A chunk that the target doesn't keep. */
  CHUNK_REFUSED,
  /** A chunk that the target couldn't read from here. */
  CHUNK_UNREAD,
  /** A chunk that was pushed without a receipt, and stays here. */
  CHUNK_UNCONFIRMED,
  /** A chunk that was not here when its turn came. */
  CHUNK_GONE,
  /** A chunk whose turn never came. */
  CHUNK_UNTRIED;

  /** Under what a chunk counts. */
  public static MoveCount of(MoveOutcome outcome) {
    return switch (outcome) {
      case MOVED -> CHUNK_MOVED;
      case COPIED -> CHUNK_COPIED;
      case RESIDENT -> CHUNK_RESIDENT;
      case ELSEWHERE -> CHUNK_ELSEWHERE;
      case IN_USE -> CHUNK_IN_USE;
      case NOT_HELD -> CHUNK_NOT_HELD;
      case NO_SPACE -> CHUNK_NO_SPACE;
      case REFUSED -> CHUNK_REFUSED;
      case UNREAD -> CHUNK_UNREAD;
      case UNCONFIRMED -> CHUNK_UNCONFIRMED;
      case GONE -> CHUNK_GONE;
      case UNTRIED -> CHUNK_UNTRIED;
    };
  }
}
