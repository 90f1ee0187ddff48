package io.kvmesh.controller.web;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that a request names: by hashes, or by keys, which carry their keyspace.
 *
 * @param keyspaces of each chunk; null where a request names none
 * @param hashBits of each chunk
 */
record ChunkList(List<@Nullable Keyspace> keyspaces, List<Long> hashBits) {

  static ChunkList of(
      @Nullable List<@Nullable HashValue> hashes,
      @Nullable List<@Nullable String> keys,
      @Nullable String keyspace,
      int limit) {
    if ((hashes == null) == (keys == null)) {
      throw Problems.badRequest(
          "hashes", hashes == null ? "absent" : "given", "give either hashes or keys");
    }
    if (hashes != null) {
      requireSize("hashes", hashes.size(), limit);
      return ofHashes(hashes, keyspace == null ? null : keyspace("keyspace", keyspace));
    }
    requireSize("keys", keys.size(), limit);
    if (keyspace != null) {
      throw Problems.badRequest("keyspace", keyspace, "must be absent: keys name their own");
    }
    return ofKeys(keys);
  }

  private static ChunkList ofHashes(List<@Nullable HashValue> hashes, @Nullable Keyspace keyspace) {
    List<@Nullable Keyspace> keyspaces = new ArrayList<>(hashes.size());
    List<Long> bits = new ArrayList<>(hashes.size());
    for (int i = 0; i < hashes.size(); i++) {
      HashValue hash = hashes.get(i);
      if (hash == null) {
        throw Problems.badRequest("hashes[" + i + "]", null, HashValue.RULE);
      }
      keyspaces.add(keyspace);
      bits.add(hash.bits());
    }
    return new ChunkList(keyspaces, bits);
  }

  private static ChunkList ofKeys(List<@Nullable String> keys) {
    List<@Nullable Keyspace> keyspaces = new ArrayList<>(keys.size());
    List<Long> bits = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      ChunkKey key = key("keys[" + i + "]", keys.get(i));
      keyspaces.add(key.keyspace());
      bits.add(key.hash().bits());
    }
    return new ChunkList(keyspaces, bits);
  }

  private static ChunkKey key(String field, @Nullable String text) {
    if (text == null) {
      throw Problems.badRequest(field, null, "must be a key");
    }
    try {
      return ChunkKey.parse(text);
    } catch (KeyFormatException e) {
      throw Problems.badRequest(field, text, String.valueOf(e.getMessage()));
    }
  }

  private static Keyspace keyspace(String field, String text) {
    try {
      return Keyspace.parse(text);
    } catch (KeyFormatException e) {
      throw Problems.badRequest(field, text, String.valueOf(e.getMessage()));
    }
  }

  private static void requireSize(String field, int size, int limit) {
    if (size == 0) {
      throw Problems.badRequest(field, "[]", "must name at least one chunk");
    }
    if (size > limit) {
      throw Problems.tooLarge(field, size, limit);
    }
  }

  int size() {
    return hashBits.size();
  }

  long[] bits() {
    return hashBits.stream().mapToLong(Long::longValue).toArray();
  }

  /** The keyspace that all have in common; null if the request names none. */
  @Nullable Keyspace commonKeyspace() {
    Keyspace first = keyspaces.getFirst();
    for (int i = 1; i < keyspaces.size(); i++) {
      Keyspace other = keyspaces.get(i);
      if (first != null && !first.equals(other)) {
        throw Problems.badRequest(
            "keys[" + i + "]", other, "must have the keyspace of the first, " + first);
      }
    }
    return first;
  }
}
