package io.kvmesh.agent.engine.resp;

import io.kvmesh.agent.engine.tcp.RemoteKeys;
import io.kvmesh.common.key.ChunkKey;

/**
 * What a key of this door names: a chunk, or one of the pair that LMCache's redis:// connector
 * makes of it.
 *
 * @param part what the value is
 */
record RespName(ChunkKey chunk, Part part) {

  private static final String METADATA = "metadata";
  private static final String KV_BYTES = "kv_bytes";

  /** What the value of a key is. */
  enum Part {
    /** The chunk's body, which is all that there is. */
    WHOLE,
    /** The chunk's body, of which metadata tells. */
    KV_BYTES,
    METADATA
  }

  boolean isMetadata() {
    return part == Part.METADATA;
  }

  /** Every text is a key. */
  static RespName of(String key) {
    if (key.endsWith(METADATA)) {
      return new RespName(chunk(key, METADATA), Part.METADATA);
    }
    if (key.endsWith(KV_BYTES)) {
      return new RespName(chunk(key, KV_BYTES), Part.KV_BYTES);
    }
    return new RespName(RemoteKeys.of(key), Part.WHOLE);
  }

  private static ChunkKey chunk(String key, String ending) {
    return RemoteKeys.of(key.substring(0, key.length() - ending.length()));
  }
}
