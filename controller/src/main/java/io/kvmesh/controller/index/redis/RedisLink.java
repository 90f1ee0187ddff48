package io.kvmesh.controller.index.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.controller.index.redis.DurableViewException.Reason;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis that is made when it is needed, and made anew after a failure: commands are
 * never kept for a server that is away, so nothing piles up. Any thread.
 */
final class RedisLink implements AutoCloseable {

  private final Duration timeout;
  private final byte[] script;
  private final String sha;
  private final RedisServers servers;

  @GuardedBy("this")
  private RedisServers.@Nullable Connected open;

  @GuardedBy("this")
  private boolean closed;

  RedisLink(RedisSettings settings, byte[] script) {
    this.timeout = settings.timeout();
    this.script = script;
    this.sha = sha1(script);
    this.servers = RedisServers.of(settings);
  }

  private static String sha1(byte[] script) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(script));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-1", e);
    }
  }

  /** The script's name at every server. */
  String sha() {
    return sha;
  }

  /**
   * What can be said over the connection, which is made if there is none.
   *
   * @throws DurableViewException if none can be made
   */
  synchronized RedisClusterAsyncCommands<byte[], byte[]> open() {
    if (closed) {
      throw new DurableViewException(Reason.UNAVAILABLE, "The connection is closed", null);
    }
    RedisServers.Connected connected = open;
    if (connected == null || !connected.connection().isOpen()) {
      discard();
      connected = connect();
      open = connected;
    }
    return connected.commands();
  }

  private RedisServers.Connected connect() {
    CompletableFuture<RedisServers.Connected> connecting = servers.connect(script);
    try {
      return awaitOnce(connecting);
    } catch (DurableViewException e) {
      var _ =
          connecting.thenAccept(
              late -> {
                var _ = late.connection().closeAsync();
              });
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
      Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
    return await(command.apply(open()));
  }

  /**
   * Waits for the answer to a command that was sent; after a failure the connection is made anew.
   *
   * @throws DurableViewException if there is none in time
   */
  <T extends @Nullable Object> T await(Future<T> answer) {
    try {
      return awaitOnce(answer);
    } catch (DurableViewException e) {
      discard();
      throw e;
    }
  }

  /** Waits for the answer; what fails leaves the connection as it is. */
  <T extends @Nullable Object> T awaitOnce(Future<T> answer) {
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
        : RedisRefusal.of(cause)
            .map(refusal -> refused(refusal, cause))
            .orElseGet(
                () ->
                    new DurableViewException(
                        Reason.UNAVAILABLE, "Redis does not answer: " + text(cause), cause));
  }

  private static String text(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  private static DurableViewException refused(RedisRefusal refusal, Throwable cause) {
    // A key of ours that has another type isn't ours any more.
    return new DurableViewException(
        refusal == RedisRefusal.WRONGTYPE ? Reason.CORRUPT : Reason.UNAVAILABLE,
        "Redis answers %s: %s".formatted(refusal, refusal.advice()),
        cause);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      discard();
    }
    servers.close();
  }
}
