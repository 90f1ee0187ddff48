package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.memory.ArenaCapacity;
import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.Demand;
import io.kvmesh.agent.memory.MemoryFeature;
import io.kvmesh.agent.memory.MemoryFormat;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.transfer.Channels;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

/** The settings of the arena and of a chunk's bytes, and what follows from them. */
class MemorySettingsTest {

  private static final long MIB = 1 << 20;
  private static final AvailableMemory.Known NO_HUGETLB = new AvailableMemory.Known(0, "pool");

  private static AgentSettings load(String... changes) {
    return settings(changes).load();
  }

  private static Map<String, String> faults(String... changes) {
    return settings(changes).faults();
  }

  private static TestSettings settings(String... changes) {
    return TestSettings.with("model.page-bytes=1MB", "cache.capacity-bytes=64MB").and(changes);
  }

  private static ArenaOptions options(String... changes) {
    return new MemoryPlan(load(changes)).options(MIB);
  }

  @Test
  void byDefault_memoryIsAnonymousOnHugePagesAndNowhereBound() {
    ArenaOptions options = options();
    assertThat(options.file()).isEmpty();
    assertThat(options.numaNode()).isEmpty();
    assertThat(options.demands())
        .containsEntry(MemoryFeature.HUGE_PAGES, Demand.WANTED)
        .containsEntry(MemoryFeature.HUGETLB, Demand.OFF)
        .containsEntry(MemoryFeature.LOCKED, Demand.OFF)
        .containsEntry(MemoryFeature.PREFAULT, Demand.OFF)
        .containsEntry(MemoryFeature.NUMA, Demand.OFF);
  }

  @Test
  void whatIsAsked_isAskedOfTheArena() {
    ArenaOptions options =
        options(
            "memory.file=/dev/shm/kvmesh-0",
            "memory.huge-pages=false",
            "memory.hugetlb=required",
            "memory.locked=wanted",
            "memory.prefault=REQUIRED",
            "memory.numa-node=3");
    assertThat(options.file()).contains(Path.of("/dev/shm/kvmesh-0"));
    assertThat(options.numaNode()).isEqualTo(OptionalInt.of(3));
    assertThat(options.demands())
        .containsEntry(MemoryFeature.HUGE_PAGES, Demand.OFF)
        .containsEntry(MemoryFeature.HUGETLB, Demand.REQUIRED)
        .containsEntry(MemoryFeature.LOCKED, Demand.WANTED)
        .containsEntry(MemoryFeature.PREFAULT, Demand.REQUIRED)
        .containsEntry(MemoryFeature.NUMA, Demand.WANTED);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "2, 1", "3, 1"})
  void theNodeOfTheGpu_isThatOfTheRank(int rank, int node) {
    String[] settings = {"rank=" + rank, "memory.numa-by-gpu=0:0, 1:0,2:1,3:1"};
    assertThat(options(settings).numaNode()).isEqualTo(OptionalInt.of(node));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0:", ":1", "a:b", "0:0,", "0:0,0:1", "0:0;1:1", "-1:0", "0:99999"})
  void gpuNodesOfAnotherForm_areRefused(String nodes) {
    assertThat(faults("memory.numa-by-gpu=" + nodes)).containsOnlyKeys("kvmesh.memory.numa-by-gpu");
  }

  @Test
  void aGpuThatIsNotNamed_isAFaultThatNamesTheRank() {
    assertThat(faults("rank=4", "memory.numa-by-gpu=0:0"))
        .hasEntrySatisfying("kvmesh.memory.numa-by-gpu", it -> assertThat(it).contains("= 4"));
  }

  @Test
  void settingsThatContradict_areFaults() {
    assertThat(faults("memory.numa-by-gpu=0:0", "memory.numa-node=1"))
        .containsOnlyKeys("kvmesh.memory.numa-node");
    assertThat(faults("memory.numa=required")).containsOnlyKeys("kvmesh.memory.numa");
    assertThat(faults("memory.numa-node=-2", "memory.reserve-bytes=-1B", "memory.file=here"))
        .containsOnlyKeys(
            "kvmesh.memory.numa-node", "kvmesh.memory.reserve-bytes", "kvmesh.memory.file");
    assertThat(faults("memory.locked=maybe"))
        .containsExactlyEntriesOf(
            Map.of("kvmesh.memory.locked", "must be off, wanted or required"));
    assertThat(faults("model.mla=perhaps"))
        .containsExactlyEntriesOf(Map.of("kvmesh.model.mla", "must be true or false"));
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, KV_2LTD",
    "true, false, false, KV_T2D",
    "true, true, false, KV_2TD",
    "false, false, true, KV_MLA_FMT",
    "true, false, true, KV_MLA_FMT"
  })
  void theFormat_isThatOfTheMode(
      boolean layerwise, boolean blending, boolean mla, MemoryFormat expected) {
    String[] mode = {
      "model.layerwise=" + layerwise, "model.blending=" + blending, "model.mla=" + mla
    };
    assertThat(new ModelShape(load(mode).model()).format()).isEqualTo(expected);
  }

  @Test
  void aFormatThatIsGiven_mustBeThatOfTheMode() {
    assertThat(new ModelShape(load("model.memory-format=KV_2TD").model()).format())
        .isEqualTo(MemoryFormat.KV_2TD);
    assertThat(faults("model.layerwise=true", "model.memory-format=KV_2LTD"))
        .hasEntrySatisfying(
            "kvmesh.model.memory-format", rule -> assertThat(rule).contains("KV_T2D"));
    assertThat(faults("model.memory-format=KV_9")).containsOnlyKeys("kvmesh.model.memory-format");
    assertThat(faults("model.memory-format=BINARY")).containsOnlyKeys("kvmesh.model.memory-format");
    assertThat(faults("model.blending=true")).containsOnlyKeys("kvmesh.model.blending");
  }

  @Test
  void thePage_followsFromTheShape() {
    String[] shape = {"model.layers=32", "model.hidden-size=1024", "model.page-bytes=0B"};
    AgentSettings settings = load(shape);
    assertThat(new Parts(settings).pageBytes()).isEqualTo(32 << 20);
    Channels channels = new Channels(Channels.ALL, Optional.empty());
    assertThat(new Parts(settings).announcement(1, "a:1", channels).pageBytes())
        .isEqualTo(32 << 20);
    assertThat(new ModelShape(load("model.page-bytes=3KB").model()).shape()).isEmpty();
  }

  @Test
  void aPageThatIsGivenToo_mustBeTheSame() {
    String[] same = {"model.layers=32", "model.hidden-size=1024", "model.page-bytes=32MB"};
    assertThat(new Parts(load(same)).pageBytes()).isEqualTo(32 << 20);
    assertThat(faults("model.layers=32", "model.hidden-size=1024", "model.page-bytes=31MB"))
        .hasEntrySatisfying(
            "kvmesh.model.page-bytes",
            rule ->
                assertThat(rule)
                    .contains("33554432B", "kvmesh.model.layers = 32", "hidden-size = 1024"));
  }

  @Test
  void halfAShape_orOneOfUnknownType_isRefused() {
    assertThat(faults("model.layers=32")).containsOnlyKeys("kvmesh.model.hidden-size");
    assertThat(faults("model.hidden-size=32")).containsOnlyKeys("kvmesh.model.layers");
    assertThat(faults("model.layers=1", "model.hidden-size=1", "model.dtype=fp4"))
        .containsOnlyKeys("kvmesh.model.dtype");
    assertThat(faults("model.layers=-1", "model.hidden-size=-1"))
        .containsOnlyKeys("kvmesh.model.layers", "kvmesh.model.hidden-size");
    assertThat(faults("model.layers=9999", "model.hidden-size=1048576", "model.page-bytes=0B"))
        .containsKey("kvmesh.model.page-bytes");
    assertThat(faults("model.page-bytes=0B")).containsOnlyKeys("kvmesh.model.page-bytes");
  }

  private static ArenaCapacity capacity(AvailableMemory available, String... changes) {
    return new MemoryPlan(load(changes)).capacity(available, NO_HUGETLB);
  }

  private static AvailableMemory available(long mib) {
    return new AvailableMemory.Known(mib * MIB, "test");
  }

  @Test
  void capacity_isCutToWhatIsAvailableLessTheReserve() {
    String reserve = "memory.reserve-bytes=10MB";
    assertThat(capacity(available(100), reserve).bytes()).isEqualTo(64 * MIB);
    assertThat(capacity(available(74), reserve).bytes()).isEqualTo(64 * MIB);
    assertThat(capacity(available(30), reserve).bytes()).isEqualTo(20 * MIB);
    assertThat(capacity(available(11), reserve).bytes()).isEqualTo(MIB);
    assertThat(capacity(new AvailableMemory.Unknown("test"), reserve).bytes()).isEqualTo(64 * MIB);
  }

  @Test
  void roomForLessThanAPage_isAFailureThatNamesAll() {
    AvailableMemory little = available(10);
    assertThatThrownBy(() -> capacity(little, "memory.reserve-bytes=10MB"))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("page of 1048576 bytes")
        .hasMessageContaining("10485760 bytes are available (test)")
        .hasMessageContaining("10485760 are reserved");
  }

  @Test
  void hugePagesSetAside_areCountedByThemselves() {
    AvailableMemory.Known enough = new AvailableMemory.Known(64 * MIB, "pool");
    AvailableMemory.Known less = new AvailableMemory.Known(40 * MIB, "pool");
    MemoryPlan wanted = new MemoryPlan(load("memory.hugetlb=wanted", "memory.reserve-bytes=5MB"));
    assertThat(wanted.capacity(available(30), enough).bytes()).isEqualTo(64 * MIB);
    assertThat(wanted.capacity(available(30), less).bytes()).isEqualTo(25 * MIB);
    MemoryPlan required = new MemoryPlan(load("memory.hugetlb=required"));
    assertThat(required.capacity(available(30), less).bytes()).isEqualTo(40 * MIB);
    assertThatThrownBy(() -> required.capacity(available(30), NO_HUGETLB))
        .isInstanceOf(StartException.class);
  }

  @Test
  void whatIsRequiredAndNotHad_endsTheStart_whatIsWantedDoesNot() {
    MemoryPlan required = new MemoryPlan(load("memory.numa=required", "memory.numa-node=1000"));
    assertThatThrownBy(() -> required.open(MIB))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("NUMA binding");
    MemoryPlan wanted = new MemoryPlan(load("memory.numa-node=1000"));
    try (PageArena arena = wanted.open(MIB)) {
      assertThat(arena.byteSize()).isEqualTo(MIB);
    }
  }

  @Test
  void sizes_areThoseOfTheRecords() {
    assertThat(load("memory.reserve-bytes=2GB").memory().reserveBytes())
        .isEqualTo(DataSize.ofGigabytes(2));
  }
}
