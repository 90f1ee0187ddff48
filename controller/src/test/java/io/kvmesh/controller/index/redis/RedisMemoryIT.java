package io.kvmesh.controller.index.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.embedded.EmbeddedRedis;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * MEM-7: the Redis client's buffers don't use up the direct memory that the chart gives to a
 * controller. Chunks are in other processes, and no direct memory there.
 */
class RedisMemoryIT {

  private static final int OPERATIONS = 200;
  private static final int MIB = 1 << 20;

  /** What the other JVM runs. */
  static final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
      RedisSettings settings =
          new RedisSettings(
              List.of(args[0]), false, "", "", null, Duration.ofSeconds(30), Duration.ofMinutes(1));
      try (RedisServers servers = RedisServers.of(settings)) {
        RedisServers.Connected connected =
            servers.connect("return 1".getBytes(UTF_8)).get(30, TimeUnit.SECONDS);
        RedisClusterAsyncCommands<byte[], byte[]> commands = connected.commands();
        all(i -> commands.set(key(i), new byte[MIB]).toCompletableFuture());
        all(i -> commands.get(key(i)).toCompletableFuture());
        connected.connection().close();
      }
      System.out.print("done");
    }

    private static byte[] key(int operation) {
      return ("key " + operation).getBytes(UTF_8);
    }

    private static void all(IntFunction<CompletableFuture<?>> operation) throws Exception {
      CompletableFuture.allOf(
              IntStream.range(0, OPERATIONS)
                  .mapToObj(operation)
                  .toArray(CompletableFuture<?>[]::new))
          .get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  @Timeout(180)
  void manyLargeOperationsAtOnce_fitIntoTheChartsDirectMemory(@TempDir Path dir) throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(dir, 0)) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx512m",
                  "-XX:MaxDirectMemorySize=512m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  redis.uri())
              .redirectErrorStream(true)
              .start();

      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);

      assertThat(process.waitFor()).as(printed).isZero();
      assertThat(printed).endsWith("done").doesNotContain("OutOfDirectMemory");
    }
  }
}
