package io.kvmesh.controller.index.redis;

import java.time.Duration;

/** The durable view. */
public final class RedisIndex implements AutoCloseable {

  private RedisIndex() {}

  /**
   * A view that connects when it is used; Redis need not be up.
   *
   * @param uri redis://, rediss:// or unix address
   * @param timeout of one command
   */
  public static RedisIndex of(String cluster, String uri, Duration timeout) {
    return new RedisIndex();
  }

  @Override
  public void close() {}
}
