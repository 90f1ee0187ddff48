package io.kvmesh.common.key;

/** A key of LMCache's text form: of a whole chunk, or of one layer of it. */
public sealed interface CacheKey permits ChunkKey, LayerKey {

  /**
   * Reads {@code model@world_size@rank@hash@dtype[@layer][@tag%value]*}.
   *
   * @throws KeyFormatException if the text is anything else
   */
  static CacheKey parse(String text) {
    return KeyText.parse(text);
  }

  /** The chunk that the key is of, or of a layer of. */
  ChunkKey chunk();
}
