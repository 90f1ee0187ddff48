package io.kvmesh.controller.index.redis;

import io.kvmesh.controller.index.ChunkIndex;
import io.kvmesh.controller.index.ChunkIndexContract;
import io.kvmesh.embedded.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
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

  private RedisIndex durable() {
    return (RedisIndex) index();
  }
}
