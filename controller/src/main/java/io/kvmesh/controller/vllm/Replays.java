package io.kvmesh.controller.vllm;

/** Where an engine's past batches are asked for. One thread. */
interface Replays {

  /** Whether the engine gives any. */
  boolean available();

  /** Asks for all batches from that number on; what was asked before is answered no longer. */
  void ask(long first);

  /** What was asked is answered no longer. */
  void abort();
}
