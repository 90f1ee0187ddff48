package io.kvmesh.agent.fleet;

import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;

/** What happens when prefixes are prefetched to here. */
public enum PrefetchCount {
  /** A prefetch that brought all that can be had. */
  DONE,
  /** A prefetch that was told to stop, or whose beginner is gone. */
  CANCELLED,
  /** A prefetch whose time was over. */
  TIMED_OUT,
  /** A prefetch that ended because nothing here could be evicted. */
  NO_ROOM,
  /** A prefetch that ended because it may hold no more of the cache. */
  OVER_SHARE,
  /** A prefetch that ended because a chunk didn't come. */
  FAILED,
  /** A prefetch that was not begun, since too many are under way. */
  REFUSED,
  /** A chunk that was here already. */
  CHUNK_RESIDENT,
  /** A chunk that came from a peer. */
  CHUNK_BROUGHT,
  /** A chunk that nobody has, or that is behind such a one. */
  CHUNK_MISSING,
  /** A chunk that didn't come from a peer that should have it. */
  CHUNK_FAILED,
  /** A chunk whose turn never came. */
  CHUNK_UNTRIED;

  static PrefetchCount of(PrefetchState end) {
    return switch (end) {
      case RUNNING -> throw new IllegalArgumentException("It isn't over");
      case DONE -> DONE;
      case CANCELLED -> CANCELLED;
      case TIMED_OUT -> TIMED_OUT;
      case NO_ROOM -> NO_ROOM;
      case OVER_SHARE -> OVER_SHARE;
      case FAILED -> FAILED;
    };
  }

  static PrefetchCount of(PrefetchOutcome outcome) {
    return switch (outcome) {
      case RESIDENT -> CHUNK_RESIDENT;
      case BROUGHT -> CHUNK_BROUGHT;
      case MISSING -> CHUNK_MISSING;
      case FAILED -> CHUNK_FAILED;
      case UNTRIED -> CHUNK_UNTRIED;
    };
  }
}
