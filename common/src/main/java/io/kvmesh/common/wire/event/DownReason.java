package io.kvmesh.common.wire.event;

/** Why a life ended. On the wire the name in lower case. */
public enum DownReason {
  /** The worker said goodbye. */
  DEREGISTERED,
  /** It was silent for too long. */
  EXPIRED
}
