package io.kvmesh.controller.index.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.ChunkIndexContract;
import io.kvmesh.embedded.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The durable view on a real Redis. */
final class RedisIndexIT extends ChunkIndexContract {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static EmbeddedRedis redis;
  private static int clusters;

  @BeforeAll
  static void startRedis(@TempDir Path dir) throws Exception {
    redis = EmbeddedRedis.start(dir, 0);
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @Override
  protected ChunkIndex create() {
    return RedisIndex.of("contract-" + clusters++, redis.uri(), TIMEOUT);
  }

  @AfterEach
  void closeIndex() {
    durable().close();
  }

  @Override
  protected int randomChanges() {
    return 600;
  }

  @Test
  void aWorkerOfALaterFormat_isNeitherReadNorChanged() {
    admit(A, CPU, LLAMA, 1, 2);
    admit(B, CPU, LLAMA, 1);
    try (RedisClient client = RedisClient.create(redis.uri())) {
      RedisCommands<String, String> commands = client.connect().sync();
      String state = "contract-%d:{a/0}:state".formatted(clusters - 1);
      commands.hset(state, "format", "2");
      Map<String, String> before = commands.hgetall(state);

      assertUnsupported(() -> durable().readWorker(A));
      assertUnsupported(() -> admit(A, CPU, LLAMA, 3));

      assertThat(commands.hgetall(state)).isEqualTo(before);
      assertThat(index().prefix(A, CPU, LLAMA, new long[] {1, 2, 3})).isEqualTo(2);
      admit(B, CPU, LLAMA, 2);
      assertThat(index().totals(B).count()).as("of a worker in our format").isEqualTo(2);
    }
  }

  private static void assertUnsupported(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DurableViewException.class,
            refused ->
                assertThat(refused.reason())
                    .isEqualTo(DurableViewException.Reason.UNSUPPORTED_FORMAT))
        .hasMessageContaining("a/0 has format 2, this version reads up to 1")
        .hasMessageContaining("Upgrade this controller");
  }

  private RedisIndex durable() {
    return (RedisIndex) index();
  }
}
