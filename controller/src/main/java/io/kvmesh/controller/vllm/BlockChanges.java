package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.vllm.AllBlocksCleared;
import io.kvmesh.common.wire.vllm.BlockHash;
import io.kvmesh.common.wire.vllm.BlockRemoved;
import io.kvmesh.common.wire.vllm.BlockStored;
import io.kvmesh.common.wire.vllm.KvEvent;
import io.kvmesh.common.wire.vllm.KvEventBatch;
import io.kvmesh.common.wire.vllm.UnknownEvent;
import io.kvmesh.controller.vllm.EngineCounts.Ignored;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns an engine's events into changes of the index. One thread.
 *
 * <p>Blocks of layers that attend to a window of the tokens are passed over: whether the engine can
 * use a prefix is decided by the layers that need all of it.
 */
final class BlockChanges {

  static final String GPU = "GPU";

  private static final int MAX_LOCATIONS = 16;
  private static final int MAX_GROUPS = 64;
  private static final int MAX_MEDIUM_CHARS = 64;

  private final int blockTokens;
  private final EngineCounts counts;
  private final Set<String> locations = new HashSet<>(Set.of(GPU));
  private final Set<Integer> windowed = new HashSet<>();

  /**
   * What a batch changes.
   *
   * @param cleared whether all blocks are gone before that
   * @param operations by location, those of each in the order of the events
   */
  record Changes(boolean cleared, Map<String, KVOperations> operations) {}

  BlockChanges(int blockTokens, EngineCounts counts) {
    this.blockTokens = blockTokens;
    this.counts = counts;
  }

  /**
   * The batch's changes.
   *
   * @param sequence of the batch, which its operations get
   */
  Changes of(long sequence, KvEventBatch batch) {
    boolean cleared = false;
    Map<String, KVOperations.Builder> found = new LinkedHashMap<>();
    for (KvEvent event : batch.events()) {
      switch (event) {
        case BlockStored stored -> stored(found, sequence, stored);
        case BlockRemoved removed -> removed(found, sequence, removed);
        case AllBlocksCleared all -> {
          cleared = true;
          found.clear();
        }
        case UnknownEvent unknown -> counts.ignored(Ignored.TYPE);
      }
    }
    Map<String, KVOperations> operations =
        found.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    entry -> entry.getValue().build(),
                    (one, other) -> one,
                    LinkedHashMap::new));
    counts.batch(operations.values().stream().mapToInt(KVOperations::size).sum());
    return new Changes(cleared, operations);
  }

  private void stored(Map<String, KVOperations.Builder> found, long sequence, BlockStored stored) {
    if (stored.blockSize() != blockTokens) {
      counts.ignored(Ignored.BLOCK_SIZE);
      return;
    }
    boolean windowedBlocks = isWindowed(stored);
    learn(stored.groupIdx(), windowedBlocks);
    if (windowedBlocks) {
      counts.ignored(Ignored.GROUP);
    } else {
      add(found, sequence, true, stored.medium(), stored.blockHashes());
    }
  }

  /** What is removed from a group doesn't tell of which kind it is. */
  private void learn(@Nullable Integer group, boolean isWindowed) {
    if (group == null) {
      return;
    }
    if (!isWindowed) {
      windowed.remove(group);
    } else if (windowed.size() < MAX_GROUPS) {
      windowed.add(group);
    }
  }

  private static boolean isWindowed(BlockStored stored) {
    String kind = stored.kvCacheSpecKind();
    boolean whole = kind == null || kind.contains("full") || kind.contains("mla");
    return !whole || stored.kvCacheSpecSlidingWindow() != null;
  }

  private void removed(
      Map<String, KVOperations.Builder> found, long sequence, BlockRemoved removed) {
    if (removed.groupIdx() != null && windowed.contains(removed.groupIdx())) {
      counts.ignored(Ignored.GROUP);
    } else {
      add(found, sequence, false, removed.medium(), removed.blockHashes());
    }
  }

  private void add(
      Map<String, KVOperations.Builder> found,
      long sequence,
      boolean admits,
      @Nullable String medium,
      List<BlockHash> hashes) {
    String location = medium == null ? GPU : medium;
    if (!isLocation(location)) {
      counts.ignored(Ignored.MEDIUM);
      return;
    }
    KVOperations.Builder operations =
        found.computeIfAbsent(location, name -> new KVOperations.Builder(hashes.size()));
    hashes.forEach(hash -> operations.add(admits, hash.bits(), false, sequence));
  }

  private boolean isLocation(String medium) {
    boolean possible =
        !medium.isEmpty()
            && medium.length() <= MAX_MEDIUM_CHARS
            && medium.chars().noneMatch(Character::isISOControl);
    return possible
        && (locations.contains(medium)
            || (locations.size() < MAX_LOCATIONS && locations.add(medium)));
  }
}
