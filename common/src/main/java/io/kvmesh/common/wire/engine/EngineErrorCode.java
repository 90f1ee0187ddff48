package io.kvmesh.common.wire.engine;

/** Why a request failed. On the wire the name in lower case. */
public enum EngineErrorCode {
  /** It couldn't be decoded or makes no sense. */
  BAD_REQUEST,
  /** There is no such session, or its client is another. */
  UNKNOWN_SESSION,
  /** The session has no such lease, claim or prefetch. */
  UNKNOWN_LEASE,
  /** The session would hold more than its share of the pages. */
  OVER_SHARE,
  /** The client cancelled the request. */
  CANCELLED,
  /** Too much is under way: try later. */
  OVERLOADED,
  /** The agent shuts down. */
  CLOSING,
  /** A fault of the agent, to be found in its log. */
  INTERNAL
}
