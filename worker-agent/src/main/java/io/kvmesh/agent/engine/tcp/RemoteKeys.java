package io.kvmesh.agent.engine.tcp;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.OpaqueKeys;

/** Keys as clients write them. */
public final class RemoteKeys {

  private RemoteKeys() {}

  /** That of LMCache's chunk where the text is such a key; otherwise that of the text itself. */
  public static ChunkKey of(String text) {
    try {
      ChunkKey key = ChunkKey.parse(text);
      return key.keyspace().isForeign() ? OpaqueKeys.of(text) : key;
    } catch (KeyFormatException e) {
      return OpaqueKeys.of(text);
    }
  }
}
