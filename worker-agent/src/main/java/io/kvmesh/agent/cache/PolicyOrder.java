package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The resident chunks as they were at one moment, to be put into the order in which the policy
 * would have them go. It is filled under the cache's lock, and sorted outside of it.
 */
final class PolicyOrder {

  /** Compressed chunks are listed before the others, though each kind goes for its own. */
  private static final int PACKED_FIRST = 1 << 16;

  private final Keyspace[] keyspaces;
  private final long[] hashBits;
  private final boolean[] negative;
  private final int[] tiers;
  private final long[] positions;

  /** Of the few chunks whose hash is more than its 64 bits. */
  private final Map<Integer, ChunkHash> wide = new HashMap<>();

  private int size;

  PolicyOrder(int chunks) {
    keyspaces = new Keyspace[chunks];
    hashBits = new long[chunks];
    negative = new boolean[chunks];
    tiers = new int[chunks];
    positions = new long[chunks];
  }

  void add(Keyspace keyspace, ChunkRecords records, EvictionPolicy policy, int slot) {
    if (records.isWide(slot)) {
      wide.put(size, records.hash(slot));
    }
    keyspaces[size] = keyspace;
    hashBits[size] = records.hashBits(slot);
    negative[size] = records.isNegative(slot);
    tiers[size] = records.isPacked(slot) ? policy.tier(slot) - PACKED_FIRST : policy.tier(slot);
    positions[size] = policy.position(slot);
    size++;
  }

  /** The next to go first. */
  List<ChunkKey> sorted(int most) {
    List<ChunkKey> keys = new ArrayList<>(Math.min(most, size));
    IntStream.range(0, size)
        .boxed()
        .sorted(
            Comparator.<Integer>comparingInt(i -> tiers[i]).thenComparingLong(i -> positions[i]))
        .limit(most)
        .forEach(i -> keys.add(new ChunkKey(keyspaces[i], hash(i))));
    return keys;
  }

  private ChunkHash hash(int index) {
    ChunkHash whole = wide.get(index);
    return whole == null ? ChunkRecords.narrow(hashBits[index], negative[index]) : whole;
  }
}
