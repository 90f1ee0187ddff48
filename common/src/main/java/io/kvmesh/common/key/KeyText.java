package io.kvmesh.common.key;

import java.util.List;

/**
 * LMCache's text of a key: {@code model@world_size@rank@hash@dtype[@layer][@tag%value]*}. A part of
 * digits after the dtype is a layer; a tag can't look like one, since it has a '%'.
 */
final class KeyText {

  private static final int FIXED_PARTS = 5;
  private static final int HASH = 3;
  private static final int DTYPE = 4;

  private KeyText() {}

  static CacheKey parse(String text) {
    String[] parts = text.split("@", -1);
    if (parts.length == 3) {
      Keyspace foreign = Keyspace.parse(parts[0] + '@' + parts[1]);
      return new ChunkKey(foreign, ChunkHash.parse(parts[2]));
    }
    if (parts.length < FIXED_PARTS) {
      throw KeyFormatException.of(
          text, "a key is model@world_size@rank@hash@dtype[@layer][@tag%value]*");
    }
    boolean layered = parts.length > FIXED_PARTS && isDigits(parts[FIXED_PARTS]);
    int firstTag = layered ? FIXED_PARTS + 1 : FIXED_PARTS;
    Keyspace keyspace = Keyspace.ofParts(text, parts, parts[DTYPE], firstTag);
    ChunkKey chunk = new ChunkKey(keyspace, ChunkHash.parse(parts[HASH]));
    return layered
        ? new LayerKey(chunk, Keyspace.number(text, "the layer", parts[FIXED_PARTS]))
        : chunk;
  }

  static String format(ChunkKey key, String layerPart) {
    Keyspace keyspace = key.keyspace();
    if (keyspace.isForeign()) {
      return keyspace + "@" + key.hash() + layerPart;
    }
    StringBuilder text = new StringBuilder();
    text.append(keyspace.model()).append('@').append(keyspace.worldSize());
    text.append('@').append(keyspace.rank()).append('@').append(key.hash());
    text.append('@').append(keyspace.dtype()).append(layerPart);
    List<Tag> tags = keyspace.tags();
    for (int i = 0; i < tags.size(); i++) {
      text.append('@').append(tags.get(i));
    }
    return text.toString();
  }

  private static boolean isDigits(String part) {
    return !part.isEmpty() && part.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
