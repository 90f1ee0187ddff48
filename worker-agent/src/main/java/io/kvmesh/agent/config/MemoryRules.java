package io.kvmesh.agent.config;

import io.kvmesh.agent.memory.Demand;
import io.kvmesh.common.settings.SettingFaults;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.util.unit.DataSize;

/** What the settings of the arena must be. Adds to the faults, never throws. */
final class MemoryRules {

  private static final int LARGEST_NODE = 1023;
  private static final int SMALLEST_ALIGNMENT = 4096;

  private final SettingFaults faults;
  private final AgentSettings settings;
  private final AgentSettings.Memory memory;

  MemoryRules(SettingFaults faults, AgentSettings settings) {
    this.faults = faults;
    this.settings = settings;
    this.memory = settings.memory();
  }

  void check() {
    DataSize page = new ModelShape(settings.model()).pageBytes();
    DataSize capacity = settings.cache().capacityBytes();
    faults.require(
        capacity.compareTo(page) >= 0 && capacity.toBytes() > 0,
        "cache.capacity-bytes",
        capacity,
        "must hold at least one page (kvmesh.model.page-bytes = %s)".formatted(page));
    checkFirstRank(page);
    checkRanges();
    checkGrowth(page);
    faults.require(
        memory.reserveBytes().toBytes() >= 0,
        "memory.reserve-bytes",
        memory.reserveBytes(),
        "must be at least 0B");
    faults.require(
        memory.file().isEmpty() || isFileName(memory.file()),
        "memory.file",
        memory.file(),
        "must be an absolute path, such as /dev/shm/kvmesh-0");
    checkNuma();
  }

  private void checkFirstRank(DataSize page) {
    DataSize ofFirstRank = settings.cache().firstRankCapacityBytes();
    faults.require(
        settings.model().mla() || !settings.model().saveOnlyFirstRank(),
        "model.save-only-first-rank",
        settings.model().saveOnlyFirstRank(),
        "must not be without kvmesh.model.mla: else each rank has chunks of its own");
    faults.require(
        ofFirstRank.toBytes() == 0 || settings.model().saveOnlyFirstRank(),
        "cache.first-rank-capacity-bytes",
        ofFirstRank,
        "must not be given without kvmesh.model.save-only-first-rank");
    faults.require(
        ofFirstRank.toBytes() == 0 || ofFirstRank.compareTo(page) >= 0,
        "cache.first-rank-capacity-bytes",
        ofFirstRank,
        "must hold at least one page (kvmesh.model.page-bytes = %s), or be 0".formatted(page));
  }

  private void checkRanges() {
    faults.require(
        Integer.bitCount(memory.alignment()) == 1 && memory.alignment() >= SMALLEST_ALIGNMENT,
        "memory.alignment",
        memory.alignment(),
        "must be a power of two, at least " + SMALLEST_ALIGNMENT);
    faults.requireRange("cache.max-chunks", settings.cache().maxChunks(), 0, 1 << 29);
  }

  private void checkGrowth(DataSize page) {
    DataSize initial = memory.initialBytes();
    DataSize growth = memory.growthBytes();
    checkPart(page, "memory.initial-bytes", initial);
    checkPart(page, "memory.growth-bytes", growth);
    faults.require(
        growth.toBytes() == 0 || initial.toBytes() > 0,
        "memory.growth-bytes",
        growth,
        "must not be given without kvmesh.memory.initial-bytes");
    faults.require(
        initial.toBytes() == 0 || memory.prefault() == Demand.OFF,
        "memory.initial-bytes",
        initial,
        "must not be given beside kvmesh.memory.prefault, which takes all at the start");
  }

  private void checkPart(DataSize page, String name, DataSize part) {
    faults.require(
        part.toBytes() == 0 || part.toBytes() >= Math.max(page.toBytes(), memory.alignment()),
        name,
        part,
        "must hold at least one page (kvmesh.model.page-bytes = %s), aligned, or be 0"
            .formatted(page));
  }

  private static boolean isFileName(String text) {
    try {
      Path path = Path.of(text);
      return path.isAbsolute() && path.getFileName() != null;
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private void checkNuma() {
    faults.requireRange("memory.numa-node", memory.numaNode(), -1, LARGEST_NODE);
    faults.require(
        memory.numa() != Demand.REQUIRED || memory.numaNode() >= 0 || !memory.numaByGpu().isEmpty(),
        "memory.numa",
        "required",
        "must come with kvmesh.memory.numa-node or numa-by-gpu");
    if (memory.numaByGpu().isEmpty()) {
      return;
    }
    faults.require(
        memory.numaNode() < 0,
        "memory.numa-node",
        memory.numaNode(),
        "must not be given beside kvmesh.memory.numa-by-gpu (%s)".formatted(memory.numaByGpu()));
    Optional<GpuNodes> nodes = GpuNodes.parse(memory.numaByGpu());
    faults.require(
        nodes.isPresent(),
        "memory.numa-by-gpu",
        memory.numaByGpu(),
        "must be GPU:NODE, or several separated by commas, no GPU twice");
    faults.require(
        nodes.isEmpty() || nodes.get().nodeOf(settings.rank()).isPresent(),
        "memory.numa-by-gpu",
        memory.numaByGpu(),
        "must name the GPU of this agent (kvmesh.rank = %d)".formatted(settings.rank()));
  }
}
