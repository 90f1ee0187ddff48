package io.kvmesh.common.wire.event;

/** What a worker is. On the wire the name in lower case. */
public enum WorkerKind {
  /** An agent of ours. */
  AGENT,
  /** An LMCache worker that a controller speaks for. */
  FOREIGN,
  /** A vLLM engine: a controller listens to its events and speaks for it. */
  ENGINE
}
