package io.kvmesh.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * What an arena is granted depends on the machine; what it says of it must be what the system shows
 * in /proc/self/smaps.
 */
@EnabledOnOs(OS.LINUX)
class ArenaFeaturesTest {

  private static final long HUGE = 2L << 20;
  private static final long SIZE = 4 * HUGE;
  private static final int NO_SUCH_NODE = 1000;

  private static PageArena open(MemoryFeature feature, Demand demand, int node) {
    return PageArena.open(
        new ArenaOptions(SIZE, Optional.empty(), Map.of(feature, demand), OptionalInt.of(node)));
  }

  private static FeatureOutcome outcome(PageArena arena, MemoryFeature feature) {
    return arena.features().stream()
        .filter(it -> it.feature() == feature)
        .findFirst()
        .orElseThrow();
  }

  /** The line of that name in the entry of the arena's first byte. */
  private static String smaps(PageArena arena, String name) throws IOException {
    long address = arena.bytes().address();
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      String[] range = line.split(" ", -1)[0].split("-", -1);
      if (range.length == 2 && line.contains(" ") && !line.contains("kB")) {
        inside =
            Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
                && Long.compareUnsigned(Long.parseUnsignedLong(range[1], 16), address) > 0;
      } else if (inside && line.startsWith(name + ":")) {
        return line;
      }
    }
    throw new IllegalStateException("no " + name);
  }

  /** Had and visible, or not had with an errno. */
  private static void requireFlag(MemoryFeature feature, String flag) throws IOException {
    try (PageArena arena = open(feature, Demand.WANTED, 0)) {
      FeatureOutcome outcome = outcome(arena, feature);
      assertThat(outcome.had()).isEqualTo(outcome.reason().isEmpty());
      assertThat(outcome.asked()).isTrue();
      assertThat(List.of(smaps(arena, "VmFlags").split(" ", -1)).contains(flag))
          .as("flag %s in %s where %s", flag, smaps(arena, "VmFlags"), outcome)
          .isEqualTo(outcome.had());
    }
  }

  @Test
  void ofNothingAsked_nothingIsHad() {
    try (PageArena arena = PageArena.anonymous(SIZE)) {
      assertThat(arena.features()).hasSize(MemoryFeature.values().length);
      assertThat(arena.features()).noneMatch(FeatureOutcome::asked).noneMatch(FeatureOutcome::had);
      assertThat(arena.features()).noneMatch(FeatureOutcome::missing);
      assertThat(arena.file()).isEmpty();
    }
  }

  @Test
  void aLongArena_beginsOnAHugePage() {
    for (long size : new long[] {HUGE, HUGE + 1, 3 * HUGE - 4096, 5 * HUGE + 12345}) {
      try (PageArena arena = PageArena.anonymous(size)) {
        assertThat(arena.bytes().address() % HUGE).as("of %d bytes", size).isZero();
        arena.bytes().set(ValueLayout.JAVA_BYTE, size - 1, (byte) 1);
      }
    }
  }

  @Test
  void hugePages_areAdvised() throws IOException {
    requireFlag(MemoryFeature.HUGE_PAGES, "hg");
  }

  @Test
  void locked_isLocked() throws IOException {
    requireFlag(MemoryFeature.LOCKED, "lo");
  }

  @Test
  void hugetlb_isOfHugePages() throws IOException {
    requireFlag(MemoryFeature.HUGETLB, "ht");
  }

  @Test
  void hugetlbBeyondThePool_fallsBackWithItsErrno_orFails() {
    long size = SystemMemory.ofThisHost().freeHugetlbBytes() + (1L << 30);
    Map<MemoryFeature, Demand> wanted = Map.of(MemoryFeature.HUGETLB, Demand.WANTED);
    try (PageArena arena =
        PageArena.open(new ArenaOptions(size, Optional.empty(), wanted, OptionalInt.empty()))) {
      FeatureOutcome outcome = outcome(arena, MemoryFeature.HUGETLB);
      assertThat(outcome.missing()).isTrue();
      assertThat(outcome.reason()).contains("errno");
      arena.bytes().set(ValueLayout.JAVA_BYTE, size - 1, (byte) 1);
    }
    ArenaOptions required =
        new ArenaOptions(
            size,
            Optional.empty(),
            Map.of(MemoryFeature.HUGETLB, Demand.REQUIRED),
            OptionalInt.empty());
    assertThatThrownBy(() -> PageArena.open(required))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining("hugetlbfs")
        .hasMessageContaining("errno");
  }

  @Test
  void prefault_backsEveryPage() throws IOException {
    try (PageArena arena = open(MemoryFeature.PREFAULT, Demand.REQUIRED, 0)) {
      assertThat(outcome(arena, MemoryFeature.PREFAULT).had()).isTrue();
      assertThat(Long.parseLong(smaps(arena, "Rss").replaceAll("\\D", "")))
          .isGreaterThanOrEqualTo(SIZE / 1024);
    }
  }

  @Test
  void numa_isBoundToTheNode() throws IOException {
    try (PageArena arena = open(MemoryFeature.NUMA, Demand.WANTED, 0)) {
      FeatureOutcome outcome = outcome(arena, MemoryFeature.NUMA);
      Path maps = Path.of("/proc/self/numa_maps");
      assumeTrue(Files.isReadable(maps), "needs /proc/self/numa_maps");
      String address = Long.toHexString(arena.bytes().address());
      assertThat(Files.readString(maps).contains(address + " bind:0")).isEqualTo(outcome.had());
    }
  }

  @Test
  void numaNodeThatIsNotThere_isToldWithItsErrno() {
    try (PageArena arena = open(MemoryFeature.NUMA, Demand.WANTED, NO_SUCH_NODE)) {
      FeatureOutcome outcome = outcome(arena, MemoryFeature.NUMA);
      assertThat(outcome.missing()).isTrue();
      assertThat(outcome.reason()).startsWith("mbind failed with errno ");
      arena.bytes().fill((byte) 1);
    }
  }

  @Test
  void requiredAndNotHad_isAClearFailure() {
    assertThatThrownBy(() -> open(MemoryFeature.NUMA, Demand.REQUIRED, NO_SUCH_NODE))
        .isInstanceOf(ArenaException.class)
        .hasMessageContaining("NUMA binding")
        .hasMessageContaining("errno")
        .hasMessageContaining(Long.toString(SIZE));
  }

  @Test
  void numaWithoutANode_isRefused() {
    Map<MemoryFeature, Demand> numa = Map.of(MemoryFeature.NUMA, Demand.WANTED);
    assertThatThrownBy(() -> new ArenaOptions(1, Optional.empty(), numa, OptionalInt.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
