package io.kvmesh.common.wire.event;

/** Whether an agent is going, as far as it was told. On the wire the name in lower case. */
public enum DrainState {
  /** It hands its chunks over to others. */
  DRAINING,
  /** It has done so. It serves on, and takes nothing from others that are drained. */
  DRAINED
}
