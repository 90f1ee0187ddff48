package io.kvmesh.controller.index.redis;

import static io.kvmesh.controller.index.IndexChanges.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.process.LoopbackPorts;
import io.kvmesh.controller.fixture.SlowLine;
import io.kvmesh.controller.index.ChangeOutcome;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.embedded.EmbeddedRedis;
import io.kvmesh.embedded.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The durable view over TLS, as a user with few rights, and over a slow line. */
@Timeout(120)
final class RedisConnectionIT {

  private static final Logger LOG = LoggerFactory.getLogger(RedisConnectionIT.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Keyspace LLAMA = Keyspace.parse("llama@1@0@half");
  private static final WorkerId A = new WorkerId("a", 0);
  private static final String CPU = "LocalCPUBackend";
  private static final String CLUSTER = "secured";
  private static final String PASSWORD = "a-secret-that-nobody-sees";

  @TempDir private static Path dir;
  private static SelfSigned tls;
  private static EmbeddedRedis redis;
  private static int tlsPort;

  @BeforeAll
  static void start() throws Exception {
    tls = SelfSigned.create(dir);
    tlsPort = LoopbackPorts.free();
    redis =
        EmbeddedRedis.start(
            dir.resolve("redis"),
            0,
            List.of(
                "--tls-port",
                String.valueOf(tlsPort),
                "--tls-cert-file",
                tls.certificate().toString(),
                "--tls-key-file",
                tls.key().toString(),
                "--tls-auth-clients",
                "no",
                // Nobody else gets in, and the user has nothing but its own keys.
                "--requirepass",
                "another",
                "--user",
                "kvmesh",
                "on",
                ">" + PASSWORD,
                "~" + CLUSTER + ":*",
                "+@all",
                "-@dangerous",
                "-@admin"));
  }

  @AfterAll
  static void stop() {
    if (redis != null) {
      redis.close();
    }
  }

  private static RedisIndex index(
      String cluster, String address, String username, String password, @Nullable Path caFile) {
    return RedisIndex.of(
        cluster,
        new RedisSettings(
            List.of(address), false, username, password, caFile, TIMEOUT, Duration.ofSeconds(30)));
  }

  private static String overTls() {
    return "rediss://127.0.0.1:" + tlsPort;
  }

  @Test
  void overTls_asAUserOfItsOwnKeysAlone_allIsThere() {
    try (RedisIndex index = index(CLUSTER, overTls(), "kvmesh", PASSWORD, tls.certificate())) {
      index.use("topic");
      index.apply(change(A, -1, 5, admit(1, 2, 3)));
      index.apply(change(A, 5, 6, new ChangeStep.SnapshotBegin(CPU)));
      index.begin("topic");
      assertThat(index.advance(0, 7, index.readLog().life())).isTrue();
      assertThat(index.advance(0, 8, "another life")).isFalse();
      assertThat(index.readLog().next()).containsEntry(0, 7L);
      assertThat(index.care().isWhole(A)).isTrue();
      assertThat(index.care().evictionPolicy()).isEmpty();

      assertThat(index.prefix(A, CPU, LLAMA, new long[] {1, 2, 3, 4})).isEqualTo(3);
      assertThat(index.countByKeyspace()).containsEntry(LLAMA, 3L);
      assertThat(index.readOffset(A)).isEqualTo(6);
      index.care().purge(A);
      assertThat(index.totals(A).count()).isZero();
      index.drop(A);
      index.unlist(A);
      assertThat(index.listWorkers()).isEmpty();
    }
  }

  @Test
  void credentialsOfTheAddress_areTakenToo() {
    String address = "rediss://kvmesh:%s@127.0.0.1:%d".formatted(PASSWORD, tlsPort);
    try (RedisIndex index = index(CLUSTER, address, "", "", tls.certificate())) {
      assertThat(index.listWorkers()).isEmpty();
    }
  }

  @Test
  void whatIsWrong_isAFailureThatSaysNoPassword() throws Exception {
    assertRefused(index(CLUSTER, overTls(), "kvmesh", "wrong", tls.certificate()), "WRONGPASS");
    assertRefused(index(CLUSTER, redis.uri(), "", "", null), "NOAUTH");
    assertRefused(index("other", overTls(), "kvmesh", PASSWORD, tls.certificate()), "NOPERM");
    SelfSigned stranger = SelfSigned.create(Files.createDirectories(dir.resolve("stranger")));
    assertRefused(
        index(CLUSTER, overTls(), "kvmesh", PASSWORD, stranger.certificate()), "certificat");
    assertRefused(index(CLUSTER, overTls(), "kvmesh", PASSWORD, null), "certificat");
  }

  private static void assertRefused(RedisIndex index, String reason) {
    try (index) {
      assertThatThrownBy(index::listWorkers)
          .isInstanceOf(DurableViewException.class)
          .satisfies(
              failure ->
                  assertThat(chain(failure)).contains(reason).doesNotContain(PASSWORD, "wrong"));
    }
  }

  private static String chain(Throwable failure) {
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      messages.append(cause).append('\n');
    }
    return messages.toString();
  }

  @Test
  void changes_areSentWithoutWaitingForAnswers() throws Exception {
    try (SlowLine line = new SlowLine(redis.port(), Duration.ofMillis(1));
        RedisIndex index = overTheLine(line)) {
      index.use("topic");
      index.begin("topic");
      line.holdReplies();
      long before = line.sentBytes();
      List<CompletableFuture<ChangeOutcome>> outcomes = submit(index, "held", 0, 200);

      await().until(() -> line.sentBytes() - before > 200 * 100 * Long.BYTES);

      assertThat(outcomes).noneMatch(CompletableFuture::isDone);
      line.passReplies();
      outcomes.forEach(CompletableFuture::join);
      assertThat(index.totals(new WorkerId("held", 0)).count()).isEqualTo(20_000);
    }
  }

  @Test
  void hundredThousandAdmits_overALineOfOneMillisecond() throws Exception {
    try (SlowLine line = new SlowLine(redis.port(), Duration.ofMillis(1));
        RedisIndex index = overTheLine(line)) {
      index.use("topic");
      long start = System.nanoTime();
      for (int i = 0; i < 1_000; i += 250) {
        submit(index, "far", i, i + 250).forEach(CompletableFuture::join);
      }

      LOG.info(
          "100,000 admits over 1 ms in {} ms",
          Duration.ofNanos(System.nanoTime() - start).toMillis());
      assertThat(index.totals(new WorkerId("far", 0)).count()).isEqualTo(100_000);
    }
  }

  private static RedisIndex overTheLine(SlowLine line) {
    return index(CLUSTER, "redis://127.0.0.1:" + line.port(), "kvmesh", PASSWORD, null);
  }

  /** Changes of a hundred admits each. */
  private static List<CompletableFuture<ChangeOutcome>> submit(
      RedisIndex index, String worker, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(
            i ->
                index.submit(
                    change(
                        new WorkerId(worker, 0),
                        i - 1,
                        i,
                        admit(LongStream.range(i * 100L, i * 100L + 100).toArray()))))
        .toList();
  }

  private static ChangeStep admit(long... hashes) {
    boolean[] admits = new boolean[hashes.length];
    Arrays.fill(admits, true);
    return new ChangeStep.Operations(CPU, LLAMA, hashes, admits, false);
  }
}
