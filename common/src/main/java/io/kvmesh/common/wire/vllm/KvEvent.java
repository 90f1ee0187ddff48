package io.kvmesh.common.wire.vllm;

/**
 * A change of the engine's KV cache. On the wire an array of its type and its components in order,
 * or, from vLLM 0.24 on, a map with {@code type} first. Either may lack components that an older
 * engine didn't know, and have further ones of a newer one.
 */
public sealed interface KvEvent permits BlockStored, BlockRemoved, AllBlocksCleared, UnknownEvent {

  /** How an engine writes its events. */
  enum Style {
    /** vLLM before 0.24: all components, absent ones as nil. */
    ARRAY,
    /** vLLM from 0.24 on: later components only where they are set. */
    MAP
  }
}
