package io.kvmesh.agent.control;

import io.kvmesh.common.hash.TokenFormatException;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.KeyFormatException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that a command names: by their keys, or by a prompt's tokens where the agent knows how
 * its engine hashes them. Keys count where both are given. Immutable, any thread.
 */
final class CommandKeys {

  private static final int MOST_KEYS = 100_000;

  private final @Nullable TokenKeys tokenKeys;

  /**
   * @param tokenKeys null = not known
   */
  CommandKeys(@Nullable TokenKeys tokenKeys) {
    this.tokenKeys = tokenKeys;
  }

  /** The chunks' keys, each once. */
  List<ChunkKey> named(@Nullable List<String> keys, List<Long> tokens) throws CommandFault {
    return keys == null ? ofTokens(tokens) : parse(keys);
  }

  private List<ChunkKey> ofTokens(List<Long> tokens) throws CommandFault {
    if (tokens.isEmpty()) {
      return List.of();
    }
    if (tokenKeys == null) {
      throw CommandFault.unsupported(
          "This agent can't hash tokens, as it has no kvmesh.model.world-size: name the chunks in"
              + " 'keys'");
    }
    try {
      List<ChunkKey> keys = tokenKeys.of(tokens);
      requireFew(keys.size());
      return keys;
    } catch (TokenFormatException e) {
      throw CommandFault.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static List<ChunkKey> parse(List<String> texts) throws CommandFault {
    requireFew(texts.size());
    Set<ChunkKey> keys = new LinkedHashSet<>();
    try {
      texts.forEach(text -> keys.add(ChunkKey.parse(text)));
    } catch (KeyFormatException e) {
      throw CommandFault.badRequest(String.valueOf(e.getMessage()));
    }
    return List.copyOf(keys);
  }

  private static void requireFew(int keys) throws CommandFault {
    if (keys > MOST_KEYS) {
      throw CommandFault.badRequest(
          "a command names at most %d chunks, this one names %d".formatted(MOST_KEYS, keys));
    }
  }
}
