package io.kvmesh.agent.memory;

import static io.kvmesh.agent.memory.FakeSystem.MIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryLimitsTest {

  private static final String NO_LIMIT_1 = "9223372036854771712";

  @TempDir private Path root;
  private FakeSystem system;

  @BeforeEach
  void create() {
    system = new FakeSystem(root);
  }

  private void requireAvailable(long mib, String source) {
    assertThat(system.available())
        .isInstanceOfSatisfying(
            AvailableMemory.Known.class,
            known -> {
              assertThat(known.bytes()).isEqualTo(mib * MIB);
              assertThat(known.source()).contains(source);
            });
  }

  @Test
  void ofAHost_isWhatMeminfoSays() {
    system.withHost(700);
    requireAvailable(700, "proc/meminfo");
  }

  @Test
  void ofNothingKnown_isUnknown() {
    assertThat(system.available()).isInstanceOf(AvailableMemory.Unknown.class);
    system.with("proc/meminfo", "MemTotal: 5 kB\nMemAvailable: many kB\n");
    system.withCgroup2("/", "/").withLimit2("", "max", 1, 0);
    assertThat(system.available()).isInstanceOf(AvailableMemory.Unknown.class);
  }

  @Test
  void ofACgroup2_isItsLimitLessWhatIsUsed_pageCacheNotCounted() {
    system.withHost(5000).withCgroup2("/", "/").withLimit2("", "1048576000", 400, 150);
    requireAvailable(1000 - 400 + 150, "sys/fs/cgroup/memory.max");
  }

  @Test
  void ofACgroup2_isTheLeastOfAllAboveIt() {
    system
        .withHost(5000)
        .withCgroup2("/", "/kube/pod/app")
        .withLimit2("", "max", 4000, 0)
        .withLimit2("kube", "max", 900, 0)
        .withLimit2("kube/pod", Long.toString(1000 * MIB), 900, 20)
        .withLimit2("kube/pod/app", Long.toString(600 * MIB), 100, 0);
    requireAvailable(120, "kube/pod/memory.max");
  }

  @Test
  void ofACgroupWithoutALimit_isWhatMeminfoSays() {
    system.withHost(300).withCgroup2("/", "/").withLimit2("", "max", 100, 0);
    requireAvailable(300, "proc/meminfo");
  }

  @Test
  void ofALimitAboveWhatTheHostHas_isWhatMeminfoSays() {
    system.withHost(300).withCgroup2("/", "/").withLimit2("", Long.toString(9000 * MIB), 100, 0);
    requireAvailable(300, "proc/meminfo");
  }

  @Test
  void ofAnOverfullCgroup_isNothing() {
    system.withHost(300).withCgroup2("/", "/").withLimit2("", Long.toString(MIB), 100, 0);
    requireAvailable(0, "memory.max");
  }

  @ParameterizedTest
  @CsvSource({"/, /docker/abc", "/docker/abc, /docker/abc", "/docker/abc, /", "/, /../elsewhere"})
  void ofAContainer_isThatOfItsMount(String mountRoot, String ownPath) {
    system.withHost(5000).withCgroup2(mountRoot, ownPath);
    String group = mountRoot.equals("/") && !ownPath.contains("..") ? "docker/abc" : "";
    system.withLimit2(group, Long.toString(64 * MIB), 4, 0);
    requireAvailable(60, "memory.max");
  }

  @Test
  void ofACgroup1_isItsLimitLessWhatIsUsed() {
    system
        .withHost(5000)
        .withCgroup1("/", "/a/b")
        .withLimit1("", NO_LIMIT_1, 3000, 0)
        .withLimit1("a", Long.toString(800 * MIB), 500, 100)
        .withLimit1("a/b", NO_LIMIT_1, 500, 0);
    requireAvailable(400, "sys/fs/cgroup/memory/a/memory.limit_in_bytes");
  }

  @Test
  void ofACgroup1InAContainer_isThatOfItsMount() {
    system
        .withHost(5000)
        .withCgroup1("/docker/abc", "/docker/abc")
        .withLimit1("", Long.toString(100 * MIB), 60, 5);
    requireAvailable(45, "memory.limit_in_bytes");
  }

  @Test
  void ofACgroup1WithoutALimit_isWhatMeminfoSays() {
    system.withHost(250).withCgroup1("/", "/").withLimit1("", NO_LIMIT_1, 60, 5);
    requireAvailable(250, "proc/meminfo");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "a b c", "- - -", "1 2 3 4 5 - cgroup2", "::\n:"})
  void filesOfAnotherForm_areNoError(String text) {
    system.withHost(10).with("proc/self/mountinfo", text).with("proc/self/cgroup", text);
    requireAvailable(10, "proc/meminfo");
  }

  @Test
  void ofThisProcess_isKnownAndBelowWhatTheHostHas() {
    assertThat(AvailableMemory.now())
        .isInstanceOfSatisfying(
            AvailableMemory.Known.class, known -> assertThat(known.bytes()).isPositive());
  }

  @Test
  void hugetlb_isWhatIsFreeAndNotReserved() {
    system.withHost(10);
    assertThat(new SystemMemory(root).freeHugetlbBytes()).isEqualTo(2 * 2 * MIB);
    assertThat(new SystemMemory(root.resolve("nowhere")).freeHugetlbBytes()).isZero();
  }

  @Test
  void transparentHugePages_areOffWhereTheSystemSaysSo() {
    String directory = "sys/kernel/mm/transparent_hugepage/";
    system.with(directory + "enabled", "always madvise [never]\n");
    system.with(directory + "shmem_enabled", "always within_size [advise] never deny force\n");
    SystemMemory memory = new SystemMemory(root);
    assertThat(memory.whyNoTransparentHugePages(false)).contains("enabled says [never]");
    assertThat(memory.whyNoTransparentHugePages(true)).isEmpty();
    system.with(directory + "shmem_enabled", "always within_size advise never [deny] force\n");
    assertThat(memory.whyNoTransparentHugePages(true)).contains("[deny]");
  }

  @ParameterizedTest
  @CsvSource({
    "1000, 100, 5000, 1000",
    "1000, 100, 1100, 1000",
    "1000, 100, 1099, 999",
    "1000, 100, 100, 0",
    "1000, 100, 99, 0",
    "1000, 0, 10, 10"
  })
  void capacity_isTheLesserOfConfiguredAndAvailableLessReserve(
      long configured, long reserve, long available, long expected) {
    ArenaCapacity capacity =
        new ArenaCapacity(configured, reserve, new AvailableMemory.Known(available, "test"));
    assertThat(capacity.bytes()).isEqualTo(expected);
    assertThat(capacity.isCut()).isEqualTo(expected < configured);
  }

  @Test
  void capacity_whereNothingIsKnown_isAsConfigured() {
    ArenaCapacity capacity = new ArenaCapacity(1000, 100, new AvailableMemory.Unknown("test"));
    assertThat(capacity.bytes()).isEqualTo(1000);
    assertThat(capacity.isCut()).isFalse();
    assertThatThrownBy(() -> new ArenaCapacity(-1, 0, new AvailableMemory.Unknown("")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
