package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;

/** Takes an engine's batches in order. One thread. */
interface BatchSink {

  /**
   * All that was taken before is void.
   *
   * @param incomplete whether the engine may hold what no batch from here on tells
   */
  void begin(boolean incomplete);

  /** Batches before the next one are missing for good, though the engine is the same. */
  void missed();

  /**
   * Takes the next batch.
   *
   * @param check of its bytes
   */
  void apply(Numbered batch, long check);

  /** Whether another batch can be taken now. */
  boolean hasRoom();
}
