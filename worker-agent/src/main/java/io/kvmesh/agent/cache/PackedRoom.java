package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.RangeAllocator;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Where the bodies of compressed chunks lie.
 *
 * @param ranges memory of their own; only the cache allocates from now on; empty = there is none
 * @param order makes the policy by which they go, for so many slots
 * @param maxChunks how many there may be
 */
public record PackedRoom(
    Optional<RangeAllocator> ranges, IntFunction<EvictionPolicy> order, int maxChunks) {

  /** Chunks aren't compressed. */
  public static final PackedRoom NONE =
      new PackedRoom(Optional.empty(), PolicyName.FIFO::create, 0);

  /** KV caches hardly get shorter than this share of themselves. */
  private static final int SHORTEST_SHARE = 8;

  /** Room in these ranges for chunks of which a full one has so many bytes. */
  public static PackedRoom of(RangeAllocator ranges, int chunkBytes, PolicyName policy) {
    long chunks = SHORTEST_SHARE * Math.ceilDiv(ranges.maxCapacityBytes(), (long) chunkBytes);
    int most = Math.clamp(chunks, 1, 1 << 28);
    return new PackedRoom(Optional.of(ranges), slots -> policy.create(slots, most), most);
  }
}
