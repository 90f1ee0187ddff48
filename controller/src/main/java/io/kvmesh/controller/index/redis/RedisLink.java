package io.kvmesh.controller.index.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.controller.index.redis.DurableViewException.Reason;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis that is made when it is needed, and made anew after a failure: commands are
 * never kept for a server that is away, so nothing piles up. Any thread.
 */
final class RedisLink implements AutoCloseable {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final int MAX_PENDING = 10_000;
  private static final int THREADS = 2;

  private final RedisURI uri;
  private final Duration timeout;
  private final byte[] script;
  private final ClientResources resources;
  private final RedisClient client;

  @GuardedBy("this")
  private @Nullable Open open;

  @GuardedBy("this")
  private boolean closed;

  /**
   * A connection that has the script.
   *
   * @param sha the script's name there
   */
  record Open(StatefulRedisConnection<byte[], byte[]> connection, String sha) {

    RedisAsyncCommands<byte[], byte[]> commands() {
      return connection.async();
    }
  }

  RedisLink(String uri, Duration timeout, byte[] script) {
    this.uri = RedisURI.create(uri);
    this.timeout = timeout;
    this.script = script;
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            .build();
    this.client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(MAX_PENDING)
            .socketOptions(
                SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).keepAlive(true).build())
            .timeoutOptions(TimeoutOptions.enabled(timeout))
            .build());
  }

  /**
   * The connection, made if there is none.
   *
   * @throws DurableViewException if none can be made
   */
  synchronized Open open() {
    if (closed) {
      throw new DurableViewException(Reason.UNAVAILABLE, "The connection is closed", null);
    }
    if (open == null || !open.connection().isOpen()) {
      discard();
      open = connect();
    }
    return open;
  }

  private Open connect() {
    StatefulRedisConnection<byte[], byte[]> connection =
        await(client.connectAsync(ByteArrayCodec.INSTANCE, uri).toCompletableFuture());
    try {
      return new Open(connection, await(connection.async().scriptLoad(script)));
    } catch (DurableViewException e) {
      var _ = connection.closeAsync();
      throw e;
    }
  }

  /** After a failure: the next use makes a new connection. */
  synchronized void discard() {
    if (open != null) {
      var _ = open.connection().closeAsync();
      open = null;
    }
  }

  /**
   * Sends a command and waits for its answer.
   *
   * @throws DurableViewException if there is none in time
   */
  <T extends @Nullable Object> T call(
      Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
    try {
      return await(command.apply(open().commands()));
    } catch (DurableViewException e) {
      discard();
      throw e;
    }
  }

  private <T extends @Nullable Object> T await(java.util.concurrent.Future<T> answer) {
    try {
      return answer.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw unavailable(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw unavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable(e);
    }
  }

  /** What a failed command means to callers. */
  static DurableViewException unavailable(Throwable cause) {
    return cause instanceof DurableViewException known
        ? known
        : new DurableViewException(Reason.UNAVAILABLE, "Redis: " + cause, cause);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      discard();
    }
    client.shutdown(Duration.ZERO, CONNECT_TIMEOUT);
    resources.shutdown(0, CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }
}
