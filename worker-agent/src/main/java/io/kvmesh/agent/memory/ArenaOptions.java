package io.kvmesh.agent.memory;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an arena should be.
 *
 * @param byteSize of it
 * @param file in shared memory or on hugetlbfs, for others on this host to map; empty = anonymous
 *     memory of this process alone
 * @param demands by feature; one that isn't named is off
 * @param numaNode for {@link MemoryFeature#NUMA}
 */
public record ArenaOptions(
    long byteSize, Optional<Path> file, Map<MemoryFeature, Demand> demands, OptionalInt numaNode) {

  /** Checks what can be checked without the system. */
  public ArenaOptions {
    if (byteSize < 1) {
      throw new IllegalArgumentException("An arena has at least 1 byte, got " + byteSize);
    }
    demands = Map.copyOf(demands);
    if (demands.getOrDefault(MemoryFeature.NUMA, Demand.OFF) != Demand.OFF && numaNode.isEmpty()) {
      throw new IllegalArgumentException("NUMA binding needs a node");
    }
  }

  /** Anonymous memory of which nothing is asked. */
  public static ArenaOptions anonymous(long byteSize) {
    return new ArenaOptions(byteSize, Optional.empty(), Map.of(), OptionalInt.empty());
  }

  Demand demand(MemoryFeature feature) {
    return demands.getOrDefault(feature, Demand.OFF);
  }
}
