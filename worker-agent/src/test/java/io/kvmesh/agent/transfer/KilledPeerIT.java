package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes that share their memory and are killed, as by kill -9, at each stage of a pull and of a
 * move: who is left has right bytes only, and all its pages, loans and leases.
 */
@Timeout(120)
class KilledPeerIT {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final List<ChunkKey> KEYS = TestAgent.keys(1, 40);

  @TempDir private Path directory;

  private TestAgent here(String name) throws Exception {
    return AgentChild.agent(name, directory.resolve(name)).start();
  }

  private AgentProcess there(String name, long epoch) throws Exception {
    return AgentProcess.start(name, directory, epoch);
  }

  @ParameterizedTest
  @EnumSource(names = {"HANDSHAKE", "GET", "CHUNK_SHARED", "LOAN_DONE"})
  void owner_killedInTheMiddleOfPull(ServerCount stage) throws Exception {
    try (TestAgent asker = here("asker");
        AgentProcess owner = there("owner", 100)) {
      owner.ask("store 1 40");
      owner.signalAt("served", stage, AgentProcess.KILL);

      PullOutcome outcome = asker.pull(owner.address(), KEYS, SOON);

      owner.awaitDead();
      assertThat(asker.resident(KEYS)).isEqualTo(outcome.chunks());
      asker.requireSettled();
      await()
          .untilAsserted(
              () ->
                  assertThat(asker.client.traffic().figures(Channels.SHM).connections()).isZero());
      if (stage == ServerCount.LOAN_DONE) {
        pullFromItsNextLife(asker);
      }
    }
  }

  /** Which finds the file of the one that was killed in its place. */
  private void pullFromItsNextLife(TestAgent asker) throws Exception {
    try (AgentProcess owner = there("owner", 101)) {
      owner.ask("store 1 40");
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(asker.pull(owner.address(), KEYS, SOON).chunks()).isEqualTo(40));
      assertThat(asker.client.traffic().figures(Channels.SHM).connections()).isEqualTo(1);
      asker.requireSettled();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HANDSHAKE", "CHUNK"})
  void requester_killedInTheMiddleOfPull(PullCount stage) throws Exception {
    try (TestAgent owner = here("owner");
        AgentProcess asker = there("asker", 100)) {
      owner.store(KEYS);
      asker.signalAt("pulled", stage, AgentProcess.KILL);

      asker.begin("pull " + owner.address() + " 1 40 10000");

      asker.awaitDead();
      requireAllMayBeEvicted(owner);
    }
  }

  @Test
  void requester_killedWithPagesOnLoan() throws Exception {
    try (TestAgent owner = here("owner");
        AgentProcess asker = there("asker", 100)) {
      owner.store(KEYS);
      assertThat(asker.ask("borrow " + owner.address() + " 1 4")).isEqualTo("4");
      assertThat(owner.server.openLoans()).isEqualTo(1);

      asker.kill();

      requireAllMayBeEvicted(owner);
      assertThat(owner.served.get(ServerCount.LOAN_GONE)).isEqualTo(1);
    }
  }

  private static void requireAllMayBeEvicted(TestAgent owner) {
    owner.requireSettled();
    List<ChunkKey> others = TestAgent.keys(1000, AgentChild.PAGES);
    owner.store(others);
    assertThat(owner.resident(others)).isEqualTo(AgentChild.PAGES);
  }

  @ParameterizedTest
  @EnumSource(names = {"HANDSHAKE", "CHUNK_READ", "PUT"})
  void target_killedInTheMiddleOfMove(ServerCount stage) throws Exception {
    try (TestAgent source = here("source");
        AgentProcess target = there("target", 100)) {
      source.store(KEYS);
      target.signalAt("served", stage, AgentProcess.KILL);

      CompletableFuture<MoveReport> move = new CompletableFuture<>();
      source.mover.begin(new MoveOrder("id", target.address(), null, false), move::complete);
      MoveReport report = move.get(60, TimeUnit.SECONDS);

      target.awaitDead();
      assertThat(report.stopped()).isNotNull();
      assertThat(report.done()).as("%s", report).isEqualTo(40);
      assertThat(source.cache.stats().residentChunks())
          .as("what has no receipt is still here: %s", report)
          .isEqualTo(40 - report.count(MoveOutcome.MOVED));
      source.requireSettled();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"GET", "LOAN_DONE"})
  void source_killedInTheMiddleOfMove(ServerCount stage) throws Exception {
    try (TestAgent target = here("target");
        TestAgent other = here("other")) {
      try (AgentProcess source = there("source", 100)) {
        source.ask("store 1 40");
        source.signalAt("served", stage, AgentProcess.KILL);
        source.begin("move " + target.address());
        source.awaitDead();
      }
      target.requireSettled();
      int came = (int) KEYS.stream().filter(target.cache::exists).count();
      assertThat(KEYS.stream().mapToInt(key -> target.resident(List.of(key))).sum())
          .as("what came is whole")
          .isEqualTo(came);

      other.store(KEYS);
      CompletableFuture<MoveReport> move = new CompletableFuture<>();
      other.mover.begin(new MoveOrder("id", target.address(), null, false), move::complete);
      assertThat(move.get(60, TimeUnit.SECONDS).count(MoveOutcome.MOVED)).isEqualTo(40);
      assertThat(target.resident(KEYS)).isEqualTo(40);
      target.requireSettled();
      other.requireSettled();
    }
  }
}
