package io.kvmesh.controller.index.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Makes connections to one server or to a cluster. Connections are never mended: commands for a
 * server that is away are refused, so nothing piles up, and who sees a failure makes a new one.
 */
abstract sealed class RedisServers implements AutoCloseable {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final int MAX_PENDING = 10_000;
  private static final int THREADS = 2;

  final ClientResources resources =
      DefaultClientResources.builder()
          .ioThreadPoolSize(THREADS)
          .computationThreadPoolSize(THREADS)
          .build();

  /** A connection, and what can be said over it. */
  record Connected(
      StatefulConnection<byte[], byte[]> connection,
      RedisClusterAsyncCommands<byte[], byte[]> commands) {}

  /** Of either kind. */
  static RedisServers of(RedisSettings settings) {
    return settings.cluster() ? new Cluster(settings) : new Single(settings);
  }

  /** A new connection to every server that takes changes; each has been given the script. */
  abstract CompletableFuture<Connected> connect(byte[] script);

  abstract void shutdownClient();

  @Override
  public void close() {
    shutdownClient();
    resources.shutdown(0, CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  private static final class Single extends RedisServers {

    private final RedisURI uri;
    private final RedisClient client;

    Single(RedisSettings settings) {
      this.uri = uri(settings, settings.addresses().getFirst());
      this.client = RedisClient.create(resources);
      client.setOptions(withLimits(ClientOptions.builder(), settings).build());
    }

    @Override
    CompletableFuture<Connected> connect(byte[] script) {
      return client
          .connectAsync(ByteArrayCodec.INSTANCE, uri)
          .toCompletableFuture()
          .thenCompose(
              connection ->
                  closedIfFailed(
                      connection,
                      load(connection, script)
                          .thenApply(loaded -> new Connected(connection, connection.async()))));
    }

    @Override
    void shutdownClient() {
      client.shutdown(Duration.ZERO, CONNECT_TIMEOUT);
    }
  }

  private static final class Cluster extends RedisServers {

    private final RedisClusterClient client;

    Cluster(RedisSettings settings) {
      List<RedisURI> uris =
          settings.addresses().stream().map(address -> uri(settings, address)).toList();
      this.client = RedisClusterClient.create(resources, uris);
      client.setOptions(
          withLimits(
                  ClusterClientOptions.builder()
                      .topologyRefreshOptions(
                          ClusterTopologyRefreshOptions.builder()
                              .enablePeriodicRefresh(settings.topologyRefresh())
                              .build()),
                  settings)
              .build());
    }

    /** The topology may be why the last connection failed: it is asked for first. */
    @Override
    CompletableFuture<Connected> connect(byte[] script) {
      return client
          .refreshPartitionsAsync()
          .toCompletableFuture()
          .thenCompose(ignored -> client.connectAsync(ByteArrayCodec.INSTANCE))
          .thenCompose(
              connection ->
                  closedIfFailed(
                      connection,
                      loadEverywhere(connection, script)
                          .thenApply(loaded -> new Connected(connection, connection.async()))));
    }

    /** Connects to each node that has slots, before commands come that must keep their order. */
    private static CompletableFuture<Void> loadEverywhere(
        StatefulRedisClusterConnection<byte[], byte[]> connection, byte[] script) {
      return CompletableFuture.allOf(
          connection.getPartitions().stream()
              .filter(
                  node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty())
              .map(RedisClusterNode::getUri)
              .map(uri -> connection.getConnectionAsync(uri.getHost(), uri.getPort()))
              .map(node -> node.thenCompose(there -> load(there, script)))
              .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    void shutdownClient() {
      client.shutdown(Duration.ZERO, CONNECT_TIMEOUT);
    }
  }

  private static CompletableFuture<String> load(
      StatefulRedisConnection<byte[], byte[]> connection, byte[] script) {
    return connection.async().scriptLoad(script).toCompletableFuture();
  }

  private static CompletableFuture<Connected> closedIfFailed(
      StatefulConnection<byte[], byte[]> connection, CompletableFuture<Connected> made) {
    return made.whenComplete(
        (connected, failure) -> {
          if (failure != null) {
            var _ = connection.closeAsync();
          }
        });
  }

  private static RedisURI uri(RedisSettings settings, String address) {
    RedisURI uri = RedisURI.create(address);
    if (!settings.password().isEmpty()) {
      String username = settings.username().isEmpty() ? null : settings.username();
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(username, settings.password().toCharArray()));
    }
    return uri;
  }

  private static <B extends ClientOptions.Builder> B withLimits(B options, RedisSettings settings) {
    options
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .requestQueueSize(MAX_PENDING)
        .socketOptions(
            SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).keepAlive(true).build())
        .timeoutOptions(TimeoutOptions.enabled(settings.timeout()));
    Path caFile = settings.caFile();
    if (caFile != null) {
      options.sslOptions(
          SslOptions.builder().jdkSslProvider().trustManager(caFile.toFile()).build());
    }
    return options;
  }
}
