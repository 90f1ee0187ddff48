package io.kvmesh.agent.engine.tcp;

/** What happens at a TCP door. */
public enum DoorCount {
  /** A client connected. */
  CONNECTION,
  /** A client was sent away: too many are connected, and all have asked for something. */
  CONNECTION_REFUSED,
  /** A connection was closed because nobody used it for too long, or ever, and others came. */
  CONNECTION_IDLE,
  /** A connection was closed because a request or reply on it made no progress for too long. */
  CONNECTION_STALLED,
  /** A connection went away in the middle of a request or reply. */
  CONNECTION_CUT,
  /** A body was asked for that was here. */
  GET_LOCAL,
  /** A body was asked for and came from a peer. */
  GET_PEER,
  /** A body was asked for that nobody has. */
  GET_MISS,
  /** A body was asked for that didn't come from a peer in time. */
  GET_TIMED_OUT,
  /** A body was asked for, and no controller or no peer could be asked, or gave it. */
  GET_UNAVAILABLE,
  /** A body was asked for, and how its values lie isn't known, which the reply must tell. */
  GET_FORMLESS,
  /** It was asked whether a chunk is there: here. */
  EXISTS_LOCAL,
  /** It was asked whether a chunk is there: at a peer. */
  EXISTS_FLEET,
  /** It was asked whether a chunk is there: it isn't. */
  EXISTS_MISS,
  /** A body was stored. */
  PUT_STORED,
  /** A body ended before its last byte. */
  PUT_ABORTED,
  /** A body for which nothing could be evicted. */
  PUT_NO_SPACE,
  /** A body larger than anything that can be given out. */
  PUT_TOO_LARGE,
  /** A part of a chunk, where such aren't kept. */
  PUT_UNFULL,
  /** A body that isn't as long as its shape or its number of tokens says. */
  PUT_WRONG_SIZE,
  /** A body that isn't kept since this agent keeps none that are stored. */
  PUT_NOT_KEPT,
  /** A body that came while the agent was closing. */
  PUT_CLOSING,
  /** A chunk was to be deleted, and was. */
  DELETE,
  /** A chunk was to be deleted that wasn't here. */
  DELETE_MISS,
  /** Half of a pair came and waits for the other half. */
  HALF_PAIR,
  /** Half of a pair gave way: to others, to a newer one of its key, or to a deletion. */
  HALF_PAIR_DROPPED,
  /** Half of a pair waited for the other half for too long. */
  HALF_PAIR_EXPIRED,
  /** The two halves of a pair didn't fit together. */
  HALF_PAIR_MISFIT,
  /** A client said who it is. */
  AUTH,
  /** A client isn't who it said, or didn't say who it is before it asked for something. */
  AUTH_REFUSED,
  /** Any other request that was served. */
  OTHER,
  /** A request that makes no sense, or isn't known. */
  BAD_REQUEST,
  /** A request that failed here. */
  FAILED,
  /** A byte of a body that went out. */
  BYTE_OUT,
  /** A byte of a body that came in. */
  BYTE_IN
}
