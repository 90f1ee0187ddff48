package io.kvmesh.common.key;

/** The identity of one layer of a chunk; the first layer is 0. */
public record LayerKey(ChunkKey chunk, int layer) implements CacheKey {

  /** Checks that the key can be written. */
  public LayerKey {
    if (layer < 0 || chunk.keyspace().isForeign()) {
      throw new KeyFormatException("No layer " + layer + " of " + chunk);
    }
  }

  /** LMCache's text. */
  @Override
  public String toString() {
    return KeyText.format(chunk, "@" + layer);
  }
}
