package io.kvmesh.common.wire;

/** What happened to a chunk. On the wire the name in lower case. */
public enum OpType {
  /** It became resident. */
  ADMIT,
  /** It is resident no longer. */
  EVICT
}
