package io.kvmesh.common.wire.control;

/** How an attempt to reach a peer ended. On the wire the name in lower case. */
public enum ReachOutcome {
  /**
   * It shook hands and answered at its lookup port, or answered over a connection that was there.
   */
  REACHED,
  /** Its host answered that nothing listens at that port. */
  REFUSED,
  /** Its host did not answer in time. */
  TIMED_OUT,
  /** There is no way to its host, or its address makes no sense. */
  UNREACHABLE,
  /** Its host's name can't be resolved. */
  UNKNOWN_HOST,
  /** Something listens there, but there was no handshake, or no answer at its lookup port. */
  NO_HANDSHAKE
}
