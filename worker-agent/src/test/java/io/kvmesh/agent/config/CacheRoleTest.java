package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.agent.cache.BodyRule;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.memory.AvailableMemory;
import io.kvmesh.agent.memory.ChunkShape;
import io.kvmesh.agent.memory.Dtype;
import io.kvmesh.agent.memory.MemoryFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheRoleTest {

  private static AgentSettings load(String... changes) {
    return settings(changes).load();
  }

  private static Set<String> faults(String... changes) {
    return settings(changes).faults().keySet();
  }

  private static TestSettings settings(String... changes) {
    return TestSettings.with("cache.capacity-bytes=1MB").and(changes);
  }

  @ParameterizedTest
  @CsvSource({
    "true, false, 0, HOT", "true, false, 3, HOT", "false, false, 0, STAGING",
    "true, true, 0, HOT", "true, true, 1, NOTHING", "false, true, 1, NOTHING"
  })
  void keeping_followsFromHotAndRank(
      boolean hot, boolean firstRankOnly, int rank, Keeping expected) {
    AgentSettings settings =
        load(
            "cache.hot=" + hot,
            "model.mla=true",
            "model.save-only-first-rank=" + firstRankOnly,
            "rank=" + rank);
    assertThat(new CacheRole(settings).keeping()).isEqualTo(expected);
  }

  @Test
  void otherRanks_haveNoArena() {
    CacheRoom room =
        CacheRoom.open(
            load("model.mla=true", "model.save-only-first-rank=true", "rank=2"), 64 << 10);
    assertThat(room.arena()).isEmpty();
    assertThat(room.memory().capacityBytes()).isZero();
    room.close();
  }

  @Test
  void firstRank_mayHaveASizeOfItsOwn() {
    AgentSettings settings =
        load(
            "model.mla=true",
            "model.save-only-first-rank=true",
            "cache.first-rank-capacity-bytes=4MB");
    CacheRoom room = CacheRoom.open(settings, 64 << 10);
    assertThat(room.memory().capacityBytes()).isEqualTo(4 << 20);
    room.close();
  }

  @Test
  void whatAKilledAgentLeft_isAwayBeforeTheMemoryIsLookedAt(@TempDir Path dir) throws IOException {
    Path left = Files.write(dir.resolve("arena"), new byte[1 << 20]);
    Files.createFile(dir.resolve("arena.lock"));
    AgentSettings settings = load("memory.file=" + left, "memory.reserve-bytes=0B");

    CacheRoom room =
        CacheRoom.open(
            settings,
            64 << 10,
            () -> new AvailableMemory.Known(Files.exists(left) ? 128 << 10 : 2 << 20, "a tmpfs"));

    assertThat(room.memory().capacityBytes()).isEqualTo(1 << 20);
    assertThatThrownBy(() -> CacheRoom.open(settings, 64 << 10))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("another arena that is in use");
    room.close();
  }

  @Test
  void savingOnTheFirstRankAlone_isForMla() {
    assertThat(faults("model.save-only-first-rank=true"))
        .containsExactly("kvmesh.model.save-only-first-rank");
    assertThat(faults("cache.first-rank-capacity-bytes=4MB"))
        .containsExactly("kvmesh.cache.first-rank-capacity-bytes");
    assertThat(
            faults(
                "model.mla=true",
                "model.save-only-first-rank=true",
                "cache.first-rank-capacity-bytes=1KB"))
        .containsExactly("kvmesh.cache.first-rank-capacity-bytes");
  }

  @Test
  void ranges_areGivenOutWhereAskedFor() {
    AgentSettings settings = load("memory.allocator=ranges", "memory.alignment=8192");
    CacheRoom room = CacheRoom.open(settings, 64 << 10);
    assertThat(room.memory().footprint(1)).isEqualTo(8192);
    assertThat(room.memory().slots()).isEqualTo(4 * 16);
    room.close();
    assertThat(new CacheRole(load("cache.max-chunks=9")).maxChunks(1 << 20, 1 << 10)).isEqualTo(9);
    assertThat(faults("memory.alignment=5000")).containsExactly("kvmesh.memory.alignment");
    assertThat(faults("memory.allocator=heap")).containsExactly("kvmesh.memory.allocator");
  }

  @Test
  void memory_isUsedInSteps_whereAskedFor() {
    CacheRoom room =
        CacheRoom.open(load("memory.initial-bytes=200KB", "memory.growth-bytes=128KB"), 64 << 10);
    assertThat(room.memory().slots()).isEqualTo(16);
    assertThat(room.memory().capacityBytes()).isEqualTo(3 * (64 << 10));
    for (int page = 0; page < 4; page++) {
      assertThat(room.memory().tryAllocate(1)).isEqualTo(page);
    }
    assertThat(room.memory().capacityBytes()).isEqualTo(5 * (64 << 10));
    assertThat(room.memory().growableBytes()).isEqualTo(11 * (64 << 10));
    room.close();
  }

  @Test
  void steps_areOfTheFirstSize_whereNothingElseIsSaid_andNeverMoreThanThereIs() {
    CacheRole role = new CacheRole(load("memory.initial-bytes=256KB"));
    assertThat(role.growthBytes(1 << 20)).isEqualTo(256 << 10);
    assertThat(role.initialBytes(100 << 10)).isEqualTo(100 << 10);
    CacheRole whole = new CacheRole(load());
    assertThat(whole.initialBytes(1 << 20)).isEqualTo(1 << 20);
    CacheRole more = new CacheRole(load("memory.initial-bytes=1GB", "memory.growth-bytes=2GB"));
    assertThat(more.initialBytes(1 << 20)).isEqualTo(1 << 20);
    assertThat(more.growthBytes(1 << 20)).isEqualTo(1 << 20);
  }

  @Test
  void ranges_growToo() {
    CacheRoom room =
        CacheRoom.open(load("memory.allocator=ranges", "memory.initial-bytes=64KB"), 64 << 10);
    assertThat(room.memory().capacityBytes()).isEqualTo(64 << 10);
    assertThat(room.memory().tryAllocate(100 << 10)).isZero();
    assertThat(room.memory().capacityBytes()).isEqualTo(128 << 10);
    room.close();
  }

  @Test
  void stepsThatAreNoPage_orContradict_areFaults() {
    assertThat(faults("memory.initial-bytes=1KB")).containsExactly("kvmesh.memory.initial-bytes");
    assertThat(faults("memory.initial-bytes=64KB", "memory.growth-bytes=1KB"))
        .containsExactly("kvmesh.memory.growth-bytes");
    assertThat(faults("memory.growth-bytes=64KB")).containsExactly("kvmesh.memory.growth-bytes");
    assertThat(faults("memory.initial-bytes=-1B")).containsExactly("kvmesh.memory.initial-bytes");
    assertThat(faults("memory.initial-bytes=64KB", "memory.prefault=wanted"))
        .containsExactly("kvmesh.memory.initial-bytes");
    assertThat(faults("memory.initial-bytes=64KB", "memory.alignment=131072"))
        .containsExactly("kvmesh.memory.initial-bytes");
  }

  @Test
  void waitingStores_leaveRequestsToOthers() {
    assertThat(new CacheRole(load("engine.max-requests=9")).options().maxWaitingClaims())
        .isEqualTo(5);
  }

  @Test
  void bodies_areThoseOfTheModel() {
    AgentSettings settings =
        load(
            "model.page-bytes=0B", "model.layers=2", "model.hidden-size=8", "model.chunk-tokens=4");
    ChunkShape shape = new ChunkShape(MemoryFormat.KV_2LTD, Dtype.BFLOAT16, 2, 4, 8);
    assertThat(new CacheRole(settings).options().bodies())
        .isEqualTo(new BodyRule(null, 4, false, shape));
    assertThat(
            new CacheRole(load("memory.allocator=ranges", "cache.save-unfull-chunk=true"))
                .options()
                .bodies())
        .isEqualTo(new BodyRule("m", 256, true, null));
  }
}
