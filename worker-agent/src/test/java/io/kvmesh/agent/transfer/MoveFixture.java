package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Agents that move chunks to each other. */
abstract class MoveFixture {

  static final int SMALL_BATCH = 2 * 4096;

  static CompletableFuture<MoveReport> begin(
      TestAgent from, String to, @Nullable List<ChunkKey> keys, boolean copy) {
    CompletableFuture<MoveReport> over = new CompletableFuture<>();
    assertThat(from.mover.begin(new MoveOrder("id", to, keys, copy), over::complete)).isTrue();
    return over;
  }

  static MoveReport ended(CompletableFuture<MoveReport> move) throws Exception {
    MoveReport report = move.get(60, TimeUnit.SECONDS);
    assertThat(report.done())
        .as("every chunk has an outcome: %s", report)
        .isEqualTo(report.chunks());
    return report;
  }

  static MoveReport move(TestAgent from, TestAgent to, @Nullable List<ChunkKey> keys, boolean copy)
      throws Exception {
    return ended(begin(from, to.address(), keys, copy));
  }

  /** A source that waits so long for those who hold chunks. */
  static TestAgentBuilder briefly(Duration holders) {
    return TestAgent.named("source").getBytes(SMALL_BATCH).holders(holders);
  }

  static TestAgent source() throws IOException {
    return TestAgent.named("source").getBytes(SMALL_BATCH).start();
  }

  static TestAgent target() throws IOException {
    return TestAgent.named("target").getBytes(SMALL_BATCH).start();
  }

  static void requireSettled(TestAgent... agents) {
    for (TestAgent agent : agents) {
      agent.requireSettled();
    }
  }

  /** Each is at one of both at least. */
  static void requireNoneIsNowhere(TestAgent one, TestAgent other, List<ChunkKey> keys) {
    for (ChunkKey key : keys) {
      assertThat(one.cache.exists(key) || other.cache.exists(key))
          .as("%s is somewhere", key)
          .isTrue();
    }
  }
}
