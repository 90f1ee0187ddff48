package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.MoveOutcome;
import io.kvmesh.common.zmq.SocketSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that share their memory and stand still, as by SIGSTOP, at each stage of a pull and of
 * a move, for longer than every deadline, and then go on.
 */
@Timeout(120)
class StoppedPeerIT {

  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final List<ServerCount> STAGES_OF_OWNER =
      List.of(
          ServerCount.HANDSHAKE, ServerCount.GET, ServerCount.CHUNK_SHARED, ServerCount.LOAN_DONE);

  @TempDir private Path directory;

  private TestAgentBuilder here(String name) {
    return AgentChild.agent(name, directory.resolve(name));
  }

  @Test
  void owner_stoppedInTheMiddleOfPulls() throws Exception {
    try (TestAgent asker = here("asker").start();
        AgentProcess owner = AgentProcess.start("owner", directory, 100)) {
      owner.ask("store 1 40");
      for (ServerCount stage : STAGES_OF_OWNER) {
        List<ChunkKey> keys = TestAgent.keys(1, 40);
        asker.cache.clear();
        owner.signalAt("served", stage, AgentProcess.STOP);

        PullOutcome outcome = asker.pull(owner.address(), keys, SHORT);

        owner.awaitStopped();
        assertThat(asker.resident(keys)).as("%s", stage).isEqualTo(outcome.chunks());
        asker.requireSettled();
        owner.goOn();
        awaitAll(asker, owner.address(), keys);
      }
      assertThat(owner.ask("settle")).isEqualTo("ok");
    }
  }

  private static void awaitAll(TestAgent asker, String owner, List<ChunkKey> keys) {
    await()
        .atMost(LONG)
        .untilAsserted(() -> assertThat(asker.pull(owner, keys, LONG).chunks()).isEqualTo(40));
    assertThat(asker.resident(keys)).isEqualTo(40);
    asker.requireSettled();
  }

  /** The owner sees its connection die, gives the pages out anew, and then the copy begins. */
  @Test
  void requester_stoppedWithPagesOnLoan_keepsNothingThatWasGivenOutAnew() throws Exception {
    SocketSettings shortBeats =
        SocketSettings.DEFAULT.withHeartbeat(Duration.ofMillis(500), Duration.ofSeconds(1));
    try (TestAgent owner = here("owner").sockets(shortBeats).start();
        AgentProcess asker = AgentProcess.start("asker", directory, 100)) {
      owner.store(TestAgent.keys(1, 40));
      assertThat(asker.ask("borrow " + owner.address() + " 1 4")).isEqualTo("4");

      asker.stop();
      owner.requireSettled();
      assertThat(owner.served.get(ServerCount.LOAN_GONE)).isEqualTo(1);
      owner.store(TestAgent.keys(1000, AgentChild.PAGES));
      asker.goOn();

      assertThat(asker.ask("copy 1 4")).isEqualTo("[CHANGED, CHANGED, CHANGED, CHANGED]");
      assertThat(asker.ask("settle")).isEqualTo("ok");
    }
  }

  @Test
  void requester_stoppedInTheMiddleOfPull_goesOnAndIsRight() throws Exception {
    try (TestAgent owner = here("owner").start();
        AgentProcess asker = AgentProcess.start("asker", directory, 100)) {
      owner.store(TestAgent.keys(1, 40));
      asker.signalAt("pulled", PullCount.CHUNK, AgentProcess.STOP);
      asker.begin("pull " + owner.address() + " 1 40 10000");
      asker.awaitStopped();
      assertThat(owner.resident(TestAgent.keys(1, 40))).isEqualTo(40);
      asker.goOn();

      assertThat(asker.answer()).as("compares each body").contains("chunks=");
      assertThat(asker.ask("settle")).isEqualTo("ok");
      owner.requireSettled();
    }
  }

  @Test
  void target_stoppedInTheMiddleOfMove_leavesNoChunkNowhere() throws Exception {
    try (TestAgent source = here("source").start();
        AgentProcess target = AgentProcess.start("target", directory, 100)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      source.store(keys);
      target.signalAt("served", ServerCount.CHUNK_READ, AgentProcess.STOP);

      CompletableFuture<MoveReport> move = new CompletableFuture<>();
      source.mover.begin(new MoveOrder("id", target.address(), null, false), move::complete);
      MoveReport report = move.get(60, TimeUnit.SECONDS);

      target.awaitStopped();
      assertThat(report.done()).isEqualTo(40);
      assertThat(source.cache.stats().residentChunks())
          .isEqualTo(40 - report.count(MoveOutcome.MOVED));
      target.goOn();
      assertThat(target.ask("settle")).isEqualTo("ok");
      requireNoneIsNowhere(source, target, keys);
      source.requireSettled();
    }
  }

  @Test
  void source_stoppedInTheMiddleOfMove_leavesNoChunkNowhere() throws Exception {
    try (TestAgent target = here("target").start();
        AgentProcess source = AgentProcess.start("source", directory, 100)) {
      List<ChunkKey> keys = TestAgent.keys(1, 40);
      source.ask("store 1 40");
      source.signalAt("served", ServerCount.LOAN_DONE, AgentProcess.STOP);
      source.begin("move " + target.address());

      source.awaitStopped();
      target.requireSettled();
      source.goOn();

      assertThat(source.answer()).startsWith("{");
      assertThat(source.ask("settle")).isEqualTo("ok");
      target.requireSettled();
      requireNoneIsNowhere(target, source, keys);
    }
  }

  private static void requireNoneIsNowhere(TestAgent here, AgentProcess there, List<ChunkKey> keys)
      throws Exception {
    String has = there.ask("has 1 40");
    for (ChunkKey key : keys) {
      assertThat(here.cache.exists(key) || has.contains(key.toString()))
          .as("%s is somewhere", key)
          .isTrue();
    }
  }
}
