package io.kvmesh.controller.web;

import io.kvmesh.common.hash.TokenChunker;
import io.kvmesh.common.hash.TokenFormatException;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out which chunks a request names, and refuses one that names none or too many. */
public final class ChunkReader {

  private final TokenChunker usual;
  private final Map<Keyspace, TokenChunker> engines;
  private final int maxChunks;

  /**
   * @param engines how prompts are hashed in the keyspaces of engines' own memory
   */
  public ChunkReader(TokenChunker usual, Map<Keyspace, TokenChunker> engines, int maxChunks) {
    this.usual = usual;
    this.engines = Map.copyOf(engines);
    this.maxChunks = maxChunks;
  }

  ChunkList read(ChunkNames names) {
    requireOneWay(names);
    Keyspace keyspace = names.keyspace() == null ? null : keyspace(names.keyspace());
    if (names.hashes() != null) {
      requireSize("hashes", names.hashes().size(), maxChunks);
      return ofHashes(names.hashes(), keyspace);
    }
    if (names.tokens() != null) {
      return ofTokens(names.tokens(), Boolean.TRUE.equals(names.partialChunk()), keyspace);
    }
    List<@Nullable String> keys = Objects.requireNonNull(names.keys());
    requireSize("keys", keys.size(), maxChunks);
    if (keyspace != null) {
      throw Problems.badRequest("keyspace", keyspace, "must be absent: keys name their own");
    }
    return ofKeys(keys);
  }

  private static void requireOneWay(ChunkNames names) {
    long ways =
        Stream.of(names.hashes(), names.keys(), names.tokens()).filter(Objects::nonNull).count();
    if (ways != 1) {
      throw Problems.badRequest(
          "hashes", ways == 0 ? "absent" : "given", "give either hashes, keys or tokens");
    }
    if (names.partialChunk() != null && names.tokens() == null) {
      throw Problems.badRequest(
          "partialChunk", names.partialChunk(), "must be absent: it is about tokens");
    }
  }

  private static ChunkList ofHashes(List<@Nullable HashValue> hashes, @Nullable Keyspace keyspace) {
    List<Long> bits = new ArrayList<>(hashes.size());
    for (int i = 0; i < hashes.size(); i++) {
      HashValue hash = hashes.get(i);
      if (hash == null) {
        throw Problems.badRequest("hashes[" + i + "]", null, HashValue.RULE);
      }
      bits.add(hash.bits());
    }
    return new ChunkList(Collections.nCopies(bits.size(), keyspace), bits, keyspace, null);
  }

  /** The keys of hashes in a keyspace, which must be one of agents. */
  static List<String> keysOfHashes(ChunkNames names, int most) {
    requireOneWay(names);
    List<@Nullable HashValue> hashes = Objects.requireNonNull(names.hashes());
    requireSize("hashes", hashes.size(), most);
    if (names.keyspace() == null) {
      throw Problems.badRequest("keyspace", null, "must be given with hashes");
    }
    Keyspace keyspace = keyspace(names.keyspace());
    if (keyspace.isForeign() || keyspace.isEngine()) {
      throw Problems.badRequest("keyspace", keyspace, "must be one that agents have");
    }
    return ofHashes(hashes, keyspace).hashBits().stream()
        .map(bits -> new ChunkKey(keyspace, ChunkHash.ofUnsigned(bits)).toString())
        .toList();
  }

  private static ChunkList ofKeys(List<@Nullable String> keys) {
    List<@Nullable Keyspace> keyspaces = new ArrayList<>(keys.size());
    List<Long> bits = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      ChunkKey key = key("keys[" + i + "]", keys.get(i));
      keyspaces.add(key.keyspace());
      bits.add(key.hash().bits());
    }
    return new ChunkList(keyspaces, bits, keyspaces.getFirst(), null);
  }

  private ChunkList ofTokens(
      List<@Nullable Long> tokens, boolean partialChunk, @Nullable Keyspace keyspace) {
    TokenChunker chunker = chunker(keyspace);
    long[] prompt = TokenList.prompt(tokens, (long) maxChunks * chunker.chunkTokens());
    List<Long> bits =
        hashes(chunker, prompt, partialChunk).stream()
            .map(chunker == usual ? ChunkHash::bits : ChunkHash::lastBits)
            .toList();
    return new ChunkList(
        Collections.nCopies(bits.size(), keyspace),
        bits,
        keyspace,
        new ChunkList.Prompt(prompt.length, chunker.chunkTokens()));
  }

  private TokenChunker chunker(@Nullable Keyspace keyspace) {
    if (keyspace == null || !keyspace.isEngine()) {
      return usual;
    }
    TokenChunker chunker = engines.get(keyspace);
    if (chunker == null) {
      throw Problems.badRequest(
          "keyspace",
          keyspace,
          "must be that of an engine with a hash-algorithm in the settings, or give hashes");
    }
    return chunker;
  }

  private static List<ChunkHash> hashes(TokenChunker chunker, long[] prompt, boolean partialChunk) {
    try {
      return partialChunk ? chunker.allChunks(prompt) : chunker.fullChunks(prompt);
    } catch (TokenFormatException e) {
      throw Problems.badRequest("tokens", "...", String.valueOf(e.getMessage()));
    }
  }

  /** A key that must be given. */
  static ChunkKey key(String field, @Nullable String text) {
    if (text == null) {
      throw Problems.badRequest(field, null, "must be a key");
    }
    try {
      return ChunkKey.parse(text);
    } catch (KeyFormatException e) {
      throw Problems.badRequest(field, text, String.valueOf(e.getMessage()));
    }
  }

  private static Keyspace keyspace(String text) {
    try {
      return Keyspace.parse(text);
    } catch (KeyFormatException e) {
      throw Problems.badRequest("keyspace", text, String.valueOf(e.getMessage()));
    }
  }

  /** At least one chunk must be named, and at most so many. */
  static void requireSize(String field, int size, int most) {
    if (size == 0) {
      throw Problems.badRequest(field, "[]", "must name at least one chunk");
    }
    if (size > most) {
      throw Problems.tooLarge(field, size, most);
    }
  }
}
