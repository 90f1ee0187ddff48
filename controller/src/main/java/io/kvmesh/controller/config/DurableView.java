package io.kvmesh.controller.config;

import io.kvmesh.controller.index.redis.RedisIndex;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The durable view, where the settings name one. */
record DurableView(@Nullable RedisIndex index) implements AutoCloseable {

  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

  static DurableView of(ControllerSettings settings) {
    String uri = settings.redis().uri();
    return new DurableView(
        uri.isEmpty() ? null : RedisIndex.of(settings.cluster(), uri, COMMAND_TIMEOUT));
  }

  @Override
  public void close() {
    if (index != null) {
      index.close();
    }
  }
}
