package io.kvmesh.agent.config;

import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.ArenaException;
import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.Demand;
import io.kvmesh.agent.memory.FeatureOutcome;
import io.kvmesh.agent.memory.MemoryFeature;
import io.kvmesh.agent.memory.PageArena;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the settings mean for the arena. Immutable. */
final class MemoryPlan {

  private static final Logger LOG = LoggerFactory.getLogger(MemoryPlan.class);

  private final AgentSettings settings;
  private final AgentSettings.Memory memory;

  MemoryPlan(AgentSettings settings) {
    this.settings = settings;
    this.memory = settings.memory();
  }

  /**
   * Removes what a killed agent left where the arena will be: it would count as memory that isn't
   * available.
   *
   * @throws StartException if another arena is there
   */
  void makeRoom() {
    try {
      file().ifPresent(PageArena::removeLeft);
    } catch (ArenaException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * How large the arena may be. Huge pages that the administrator set aside are no part of what is
   * available otherwise.
   *
   * @throws StartException if not one page is left
   */
  ArenaCapacity capacity(AvailableMemory available, AvailableMemory.Known inHugetlb) {
    long configured = new CacheRole(settings).capacityBytes();
    boolean ofHugetlb =
        memory.hugetlb() == Demand.REQUIRED
            || (memory.hugetlb() == Demand.WANTED
                && memory.file().isEmpty()
                && inHugetlb.bytes() >= configured);
    ArenaCapacity capacity =
        ofHugetlb
            ? new ArenaCapacity(configured, 0, inHugetlb)
            : new ArenaCapacity(
                configured,
                memory.reserveBytes().toBytes() + settings.cache().compressedBytes().toBytes(),
                available);
    long pageBytes = new ModelShape(settings.model()).pageBytes().toBytes();
    if (capacity.bytes() < pageBytes) {
      throw new StartException(
          ("No room for one page of %d bytes (kvmesh.model.page-bytes): %s, of which %d are"
                  + " reserved (kvmesh.memory.reserve-bytes, kvmesh.cache.compressed-bytes)")
              .formatted(pageBytes, text(capacity.available()), capacity.reserveBytes()));
    }
    warn(capacity);
    return capacity;
  }

  private static void warn(ArenaCapacity capacity) {
    if (capacity.available() instanceof AvailableMemory.Unknown) {
      LOG.warn(
          "{}: the arena has the {} bytes of kvmesh.cache.capacity-bytes",
          text(capacity.available()),
          capacity.configuredBytes());
    } else if (capacity.isCut()) {
      LOG.warn(
          "The arena has {} bytes instead of the {} of kvmesh.cache.capacity-bytes: {}, of which {}"
              + " are reserved (kvmesh.memory.reserve-bytes, kvmesh.cache.compressed-bytes)",
          capacity.bytes(),
          capacity.configuredBytes(),
          text(capacity.available()),
          capacity.reserveBytes());
    }
  }

  private static String text(AvailableMemory available) {
    return switch (available) {
      case AvailableMemory.Known known ->
          "%d bytes are available (%s)".formatted(known.bytes(), known.source());
      case AvailableMemory.Unknown unknown ->
          "It isn't known how much memory is available: " + unknown.reason();
    };
  }

  /**
   * Maps the arena, and warns of what is wanted and not had.
   *
   * @throws StartException if it isn't granted
   */
  PageArena open(long byteSize) {
    try {
      PageArena arena = PageArena.open(options(byteSize));
      arena.features().stream().filter(FeatureOutcome::missing).forEach(MemoryPlan::warn);
      return arena;
    } catch (ArenaException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void warn(FeatureOutcome missing) {
    LOG.warn(
        "The arena goes without {}, which was asked for: {}",
        missing.feature().text(),
        missing.reason());
  }

  ArenaOptions options(long byteSize) {
    OptionalInt node = numaNode();
    Map<MemoryFeature, Demand> demands = new EnumMap<>(MemoryFeature.class);
    demands.put(MemoryFeature.HUGE_PAGES, memory.hugePages());
    demands.put(MemoryFeature.HUGETLB, memory.hugetlb());
    demands.put(MemoryFeature.LOCKED, memory.locked());
    demands.put(MemoryFeature.PREFAULT, memory.prefault());
    demands.put(MemoryFeature.NUMA, node.isPresent() ? memory.numa() : Demand.OFF);
    return new ArenaOptions(byteSize, file(), demands, node);
  }

  private Optional<Path> file() {
    return memory.file().isEmpty() ? Optional.empty() : Optional.of(Path.of(memory.file()));
  }

  private OptionalInt numaNode() {
    if (memory.numaNode() >= 0) {
      return OptionalInt.of(memory.numaNode());
    }
    return GpuNodes.parse(memory.numaByGpu())
        .map(nodes -> nodes.nodeOf(settings.rank()))
        .orElse(OptionalInt.empty());
  }
}
