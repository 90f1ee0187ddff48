package io.kvmesh.agent.engine;

/** What a session keeps on behalf of its client. */
sealed interface Kept permits Held, Claimed {

  /** How many chunks. */
  int chunks();

  /** Bytes of their bodies. */
  long bytes();

  /** Gives it back. */
  void giveBack();
}
