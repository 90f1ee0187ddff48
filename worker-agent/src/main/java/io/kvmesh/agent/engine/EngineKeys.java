package io.kvmesh.agent.engine;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import java.util.ArrayList;
import java.util.List;

/** The keys of a request: a prefix, so all of one keyspace. */
final class EngineKeys {

  private EngineKeys() {}

  static List<ChunkKey> parse(List<String> texts, int most) throws EngineFault {
    if (texts.isEmpty() || texts.size() > most) {
      throw EngineFault.badRequest(
          "a request has 1 to %d keys, this one has %d".formatted(most, texts.size()));
    }
    List<ChunkKey> keys = new ArrayList<>(texts.size());
    for (String text : texts) {
      ChunkKey key = parse(text);
      if (!keys.isEmpty() && !keys.getFirst().keyspace().equals(key.keyspace())) {
        throw EngineFault.badRequest(
            "the keys of a request share all but their hashes, %s and %s don't"
                .formatted(keys.getFirst(), key));
      }
      keys.add(key);
    }
    return keys;
  }

  private static ChunkKey parse(String text) throws EngineFault {
    try {
      return ChunkKey.parse(text);
    } catch (KeyFormatException e) {
      throw EngineFault.badRequest(String.valueOf(e.getMessage()));
    }
  }
}
