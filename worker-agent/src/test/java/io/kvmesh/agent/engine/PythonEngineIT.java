package io.kvmesh.agent.engine;

import static io.kvmesh.agent.engine.TestDoor.PAGE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvmesh.agent.directory.Holder;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An engine in a process of its own, with pyzmq, msgpack and mmap alone. */
@Timeout(120)
class PythonEngineIT {

  private static final String PYTHON = "/usr/bin/python3";
  private static final int PAGES = 32;
  private static final int SHARE = 8;

  private final Counters<EngineCount> counters = new Counters<>(EngineCount.class);
  @TempDir private Path folder;

  private volatile PeerDirectory directory = (keyspace, hashes, atMost) -> new LookupOutcome.Miss();

  private TestAgent agent;
  private NativeDoor door;
  private Process engine;
  private BufferedWriter orders;
  private BufferedReader answers;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of(PYTHON))
            && new ProcessBuilder(PYTHON, "-c", "import zmq, msgpack").start().waitFor() == 0,
        "skipped, needs " + PYTHON + " with zmq and msgpack (python3-zmq, python3-msgpack)");
    Path script = folder.resolve("engine.py");
    try (InputStream program = PythonEngineIT.class.getResourceAsStream("engine.py")) {
      Files.copy(requireNonNull(program), script);
    }
    agent = TestAgent.named("me").pages(PAGES, PAGE).file(folder.resolve("arena")).start();
    EngineSettings settings =
        TestDoor.settings(Duration.ofMinutes(5), Duration.ofMinutes(5), 4, 8, Duration.ZERO);
    door =
        TestDoor.start(
            agent,
            TestDoor.handingOver(
                settings,
                // Who is stopped loses its connection soon.
                settings.sockets().withHeartbeat(Duration.ofMillis(500), Duration.ofSeconds(2)),
                agent,
                folder.resolve("socket"),
                SHARE),
            (keyspace, hashes, atMost) -> directory.lookup(keyspace, hashes, atMost),
            counters);
    engine =
        new ProcessBuilder(
                PYTHON,
                script.toString(),
                "tcp://127.0.0.1:" + door.port(),
                String.valueOf(PAGE),
                String.valueOf(TestAgent.TOKENS))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    orders = engine.outputWriter(StandardCharsets.UTF_8);
    answers = engine.inputReader(StandardCharsets.UTF_8);
  }

  @AfterEach
  void stop() throws Exception {
    if (engine != null) {
      engine.destroyForcibly().waitFor();
      door.close();
      agent.requireSettled();
      agent.close();
    }
  }

  private String tell(String order) throws IOException {
    orders.write(order + "\n");
    orders.flush();
    return requireNonNull(answers.readLine(), "the engine has ended");
  }

  private void signal(String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(engine.pid())).start();
    assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(kill.exitValue()).isZero();
  }

  private void mapHoldAndClaim() throws IOException {
    agent.store(TestAgent.keys(1, 3));
    assertThat(tell("map")).isEqualTo(String.valueOf(SHARE));
    assertThat(tell("hold 1 4")).isEqualTo("3");
    assertThat(tell("claim 20 2")).isEqualTo("claimed,claimed");
    requireHeld();
  }

  private void requireHeld() {
    assertThat(agent.cache.stats().leasedChunks()).isEqualTo(3);
    assertThat(agent.cache.stats().pendingChunks()).isEqualTo(2);
  }

  @Test
  void whatAnEngineWritesInPlace_isThereForAll_andWhatIsThereItReadsInPlace() throws Exception {
    tell("map");
    assertThat(tell("claim 1 3")).isEqualTo("claimed,claimed,claimed");
    assertThat(agent.resident(TestAgent.keys(1, 3))).isZero();
    assertThat(tell("commit")).isEqualTo("stored,stored,stored");
    assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);
    agent.store(TestAgent.keys(4, 2));

    assertThat(tell("claim 4 1")).isEqualTo("resident");
    assertThat(tell("hold 1 6")).isEqualTo("5");
    assertThat(tell("read")).isEqualTo("5 5");
    assertThat(tell("release")).isEqualTo("5");
  }

  @Test
  void engineThatIsKilled_leavesNothingBehind() throws Exception {
    mapHoldAndClaim();

    engine.destroyForcibly().waitFor();

    agent.requireSettled();
    assertThat(agent.resident(TestAgent.keys(20, 2))).isZero();
    assertThat(counters.get(EngineCount.LIFELINE_ENDED)).isEqualTo(1);
    assertThat(counters.get(EngineCount.SESSION_GONE)).as("seen through the lifeline").isZero();
    agent.store(TestAgent.keys(40, PAGES));
    assertThat(agent.resident(TestAgent.keys(40, PAGES))).isEqualTo(PAGES);
  }

  @Test
  void engineThatIsStopped_keepsWhatItHolds_untilItGoesOn() throws Exception {
    tell("plain");
    mapHoldAndClaim();

    signal("STOP");

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(counters.get(EngineCount.SESSION_GONE))
                    .as("its other session is gone with its connection")
                    .isEqualTo(1));
    agent.store(TestAgent.keys(60, 2 * PAGES));
    requireHeld();
    assertThat(agent.resident(TestAgent.keys(1, 3))).isEqualTo(3);

    signal("CONT");

    assertThat(tell("read")).isEqualTo("3 3");
    assertThat(tell("commit")).isEqualTo("stored,stored");
    assertThat(tell("release")).isEqualTo("3");
    assertThat(agent.resident(TestAgent.keys(20, 2))).isEqualTo(2);
  }

  @Test
  void engineOverItsShare_isRefusedAndShown() throws Exception {
    mapHoldAndClaim();

    assertThat(tell("claim 30 4")).isEqualTo("over_share");
    assertThat(tell("claim 30 3")).isEqualTo("claimed,claimed,claimed");
    assertThat(tell("hold 1 1")).isEqualTo("over_share");

    await()
        .untilAsserted(
            () ->
                assertThat(door.handOvers())
                    .containsExactly(new HandOverState("python", 5, 3, SHARE, true, 2)));
  }

  @Test
  void engineThatReadsOnAfterItsSession_findsAnotherGeneration() throws Exception {
    agent.store(TestAgent.keys(1, 3));
    tell("map");
    tell("hold 1 3");
    assertThat(tell("read")).isEqualTo("3 3");

    tell("leave");
    agent.requireSettled();
    agent.store(TestAgent.keys(40, PAGES));

    assertThat(tell("read")).isEqualTo("0 0");
  }

  /** Says that this peer has the chunks up to that number, and asks the other of those behind. */
  private static PeerDirectory upTo(long last, TestAgent peer, PeerDirectory behind) {
    return (keyspace, hashes, atMost) -> {
      int has = (int) hashes.stream().takeWhile(hash -> hash.bits() <= last).count();
      return has == 0
          ? behind.lookup(keyspace, hashes, atMost)
          : new LookupOutcome.Found(
              List.of(new Holder("other", "LocalCPUBackend", has, peer.address(), 1)));
    };
  }

  @Test
  void prefetch_bringsWhatAPeerHas() throws Exception {
    agent.store(TestAgent.keys(1, 2));
    try (TestAgent other = TestAgent.named("other").pages(PAGES, PAGE).start()) {
      other.store(TestAgent.keys(1, 5));
      directory = upTo(5, other, directory);

      assertThat(tell("progress")).as("of none").isEqualTo("unknown_lease");
      assertThat(tell("prefetch 1 6")).isEqualTo("begun");

      await().untilAsserted(() -> assertThat(tell("progress")).isEqualTo("done 2 3 1 0"));
      assertThat(tell("cancel")).as("it is over").isEqualTo("done 2 3 1 0");
      assertThat(agent.resident(TestAgent.keys(1, 6))).isEqualTo(5);
      tell("map");
      assertThat(tell("hold 1 6")).isEqualTo("5");
      assertThat(tell("read")).isEqualTo("5 5");
    }
  }

  @Test
  void prefetchThatIsCancelled_leavesWhatItHasBrought() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    agent.store(TestAgent.keys(1, 2));
    try (TestAgent other = TestAgent.named("other").pages(PAGES, PAGE).start()) {
      other.store(TestAgent.keys(1, 4));
      directory =
          upTo(
              4,
              other,
              (keyspace, hashes, atMost) -> {
                goOn.await();
                return new LookupOutcome.Miss();
              });
      assertThat(tell("prefetch 1 6")).isEqualTo("begun");
      await().untilAsserted(() -> assertThat(tell("progress")).isEqualTo("running 2 2 0 0"));

      assertThat(tell("cancel")).endsWith(" 2 2 0 0");

      await().untilAsserted(() -> assertThat(tell("progress")).isEqualTo("cancelled 2 2 0 0"));
      assertThat(agent.resident(TestAgent.keys(1, 6))).isEqualTo(4);
    } finally {
      goOn.countDown();
    }
  }

  /** What docs/protocol.md shows in Python, one program after the other. */
  @Test
  void programsOfTheDocs_run() throws Exception {
    String program =
        Pattern.compile("^```python\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "docs", "protocol.md")))
            .results()
            .map(block -> block.group(1))
            .filter(block -> block.contains("ask("))
            .collect(Collectors.joining())
            .replace("tcp://127.0.0.1:8210", "tcp://127.0.0.1:" + door.port());
    Process run =
        new ProcessBuilder(PYTHON, "-c", program)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(run.inputReader(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "['stored', 'stored']",
            "2 0 [100, 100]",
            "['stored', 'stored']",
            "100 True",
            "100 True");
    assertThat(run.waitFor()).isZero();
  }
}
