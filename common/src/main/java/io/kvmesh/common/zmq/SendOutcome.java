package io.kvmesh.common.zmq;

/** What became of a message that was to be sent. None of its frames left unless it is SENT. */
public enum SendOutcome {
  /** It is queued whole. It may still be lost with its connection. */
  SENT,
  /** The peer's queue is full, or there is no connection. */
  FULL,
  /** A ROUTER has no such peer (any more). */
  UNREACHABLE
}
