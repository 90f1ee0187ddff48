package io.kvmesh.agent.transfer;

import io.kvmesh.common.key.ChunkKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which chunks are being pulled, so that no two requests pull the same one. Any thread. */
final class PullsUnderWay {

  private final Map<ChunkKey, CompletableFuture<Void>> byKey = new ConcurrentHashMap<>();

  /**
   * Takes the keys from {@code from} on, up to the first that another pull has.
   *
   * @param pull completed when the keys are released
   * @return the index after the last key taken
   */
  @SuppressWarnings("ReferenceEquality") // futures have no other identity
  int take(List<ChunkKey> keys, int from, CompletableFuture<Void> pull) {
    int next = from;
    while (next < keys.size()) {
      CompletableFuture<Void> other = byKey.putIfAbsent(keys.get(next), pull);
      if (other != null && other != pull) {
        break;
      }
      next++;
    }
    return next;
  }

  /** The pull that has this key; null if none has. */
  @Nullable CompletableFuture<Void> pullOf(ChunkKey key) {
    return byKey.get(key);
  }

  /** Gives the keys up and wakes who waits for them. */
  void release(List<ChunkKey> keys, CompletableFuture<Void> pull) {
    keys.forEach(key -> byKey.remove(key, pull));
    pull.complete(null);
  }

  /** How many chunks are being pulled. */
  int chunks() {
    return byKey.size();
  }
}
