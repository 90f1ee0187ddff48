package io.kvmesh.agent.cache;

import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Small numbers for the keyspaces of the chunks in the cache, so that a record needn't keep more
 * than a number. A keyspace without chunks is forgotten. Guarded by the cache's lock, but for
 * {@link #keyspace} of a chunk that is held.
 */
final class KeyspaceTable {

  static final int NONE = -1;

  private final Map<Keyspace, Integer> ids = new HashMap<>();
  private final List<Integer> unusedIds = new ArrayList<>();
  private @Nullable Keyspace[] keyspaces = new Keyspace[4];
  private int[] chunks = new int[4];

  /** The keyspace of the last question: the keys of a request mostly share one. */
  private @Nullable Keyspace lastAsked;

  private int lastAnswer = NONE;

  /** The keyspace's number, or NONE if no chunk has it. */
  int find(Keyspace keyspace) {
    if (!keyspace.equals(lastAsked)) {
      lastAsked = keyspace;
      lastAnswer = ids.getOrDefault(keyspace, NONE);
    }
    return lastAnswer;
  }

  /** Counts one more chunk of the keyspace, which gets a number if it is new. */
  int retain(Keyspace keyspace) {
    int id = find(keyspace);
    if (id == NONE) {
      id = unusedIds.isEmpty() ? ids.size() : unusedIds.removeLast();
      if (id == keyspaces.length) {
        keyspaces = Arrays.copyOf(keyspaces, 2 * id);
        chunks = Arrays.copyOf(chunks, 2 * id);
      }
      keyspaces[id] = keyspace;
      ids.put(keyspace, id);
      lastAnswer = id;
    }
    chunks[id]++;
    return id;
  }

  /** Counts one chunk less. */
  void release(int id) {
    chunks[id]--;
    if (chunks[id] == 0) {
      ids.remove(keyspace(id));
      keyspaces[id] = null;
      unusedIds.add(id);
      lastAsked = null;
      lastAnswer = NONE;
    }
  }

  /** The keyspace of a number in use. */
  Keyspace keyspace(int id) {
    Keyspace keyspace = keyspaces[id];
    if (keyspace == null) {
      throw new IllegalStateException("No chunk has keyspace number " + id);
    }
    return keyspace;
  }
}
