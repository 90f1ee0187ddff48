package io.kvmesh.common.key;

/** The identity of a chunk. Cheap to hash and compare: it is the cache's map key. */
public record ChunkKey(Keyspace keyspace, ChunkHash hash) implements CacheKey {

  /**
   * Reads LMCache's text of a chunk key; a foreign chunk is {@code foreign@rank@hash}.
   *
   * @throws KeyFormatException if the text is anything else, a layer's key included
   */
  public static ChunkKey parse(String text) {
    if (KeyText.parse(text) instanceof ChunkKey key) {
      return key;
    }
    throw KeyFormatException.of(text, "a layer's key is no chunk's key");
  }

  @Override
  public ChunkKey chunk() {
    return this;
  }

  @Override
  public int hashCode() {
    return (int) (PlacementDigest.mix(keyspace.digest(), hash.bits()) >>> 32);
  }

  /** LMCache's text. */
  @Override
  public String toString() {
    return KeyText.format(this, "");
  }
}
