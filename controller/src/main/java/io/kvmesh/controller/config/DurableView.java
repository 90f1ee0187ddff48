package io.kvmesh.controller.config;

import io.kvmesh.controller.index.redis.RedisIndex;
import io.kvmesh.controller.index.redis.RedisSettings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The durable view, where the settings name one. */
record DurableView(@Nullable RedisIndex index) implements AutoCloseable {

  static DurableView of(ControllerSettings settings) {
    ControllerSettings.Redis redis = settings.redis();
    return new DurableView(
        redis.uri().isEmpty() ? null : RedisIndex.of(settings.cluster(), settings(redis)));
  }

  private static RedisSettings settings(ControllerSettings.Redis redis) {
    return new RedisSettings(
        redis.cluster() ? RedisSettings.split(redis.uri()) : List.of(redis.uri()),
        redis.cluster(),
        redis.username(),
        redis.password(),
        redis.caFile().isEmpty() ? null : Path.of(redis.caFile()),
        redis.timeout(),
        redis.topologyRefresh());
  }

  @Override
  public void close() {
    if (index != null) {
      index.close();
    }
  }
}
