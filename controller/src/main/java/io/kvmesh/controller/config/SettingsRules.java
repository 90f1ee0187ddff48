package io.kvmesh.controller.config;

import io.kvmesh.common.access.AccessTokens;
import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.settings.SettingFaults;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.controller.index.redis.RedisSettings;
import io.kvmesh.controller.lookup.LocationWeights;
import io.kvmesh.program.kafka.ClientProperties;
import io.kvmesh.program.kafka.KafkaCheck;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.util.unit.DataSize;

/** What each setting must be. Adds to the faults, never throws. */
final class SettingsRules {

  private static final Pattern CLUSTER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.:_-]{1,253}");
  private static final Pattern HTTP = Pattern.compile("https?://[^\\s]{1,2000}");
  private static final Set<String> REDIS_SCHEMES =
      Set.of("redis", "rediss", "redis-socket", "redis-sentinel", "rediss-sentinel");

  private final SettingFaults faults;

  SettingsRules(SettingFaults faults) {
    this.faults = faults;
  }

  void check(ControllerSettings settings) {
    faults.require(
        CLUSTER.matcher(settings.cluster()).matches(),
        "cluster",
        settings.cluster(),
        "must be 1 to 100 letters, digits, '.', '_' or '-', beginning with a letter or digit");
    faults.require(
        settings.parentPid() >= 0,
        "parent-pid",
        settings.parentPid(),
        "must be a process id, or 0 for none");
    faults.require(
        settings.advertisedHost().isEmpty() || HOST.matcher(settings.advertisedHost()).matches(),
        "advertised-host",
        settings.advertisedHost(),
        "must be a host name or an address, without scheme and port");
    checkReachable(settings);
    checkStores(settings);
    checkZmq(settings.zmq());
    checkLiveness(settings.liveness());
    checkLimits(settings);
    checkCommands(settings.command());
    checkHash(settings.hash());
    checkWeights(settings.score().weights());
    checkSecurity(settings.security());
    checkAccess(settings.access());
    new EngineRules(faults).check(settings.vllm());
  }

  private void checkWeights(String weights) {
    try {
      LocationWeights.parse(weights);
    } catch (IllegalArgumentException e) {
      faults.add(
          "score.weights",
          weights,
          "must be location=weight, separated by commas: " + e.getMessage());
    }
  }

  private void checkHash(ControllerSettings.Hash hash) {
    range("hash.chunk-tokens", hash.chunkTokens(), 1, 1 << 20);
    try {
      ChunkHashing.of(hash.algorithm(), "");
    } catch (IllegalArgumentException e) {
      faults.add("hash.algorithm", hash.algorithm(), String.valueOf(e.getMessage()));
      return;
    }
    try {
      ChunkHashing.of(hash.algorithm(), hash.seed());
    } catch (IllegalArgumentException e) {
      faults.add("hash.seed", hash.seed(), String.valueOf(e.getMessage()));
    }
  }

  private void checkSecurity(ControllerSettings.Security security) {
    try {
      if (!security.keyFile().isEmpty()) {
        CurveKeys.read(Path.of(security.keyFile()));
      }
    } catch (IOException | InvalidPathException e) {
      faults.add("security.key-file", security.keyFile(), "must be a file with a key: " + e);
    }
  }

  private void checkAccess(ControllerSettings.Access access) {
    switch (access.mode()) {
      case OFF -> {}
      case TOKENS -> checkTokens(access.tokensFile());
      case JWT -> checkJwt(access.jwt());
    }
  }

  private void checkTokens(String file) {
    try {
      AccessTokens.read(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      faults.add("access.tokens-file", file, "must be a file of lines with role and token: " + e);
    }
  }

  private void checkJwt(ControllerSettings.Jwt jwt) {
    faults.require(
        HTTP.matcher(jwt.keysUri()).matches(),
        "access.jwt.keys-uri",
        jwt.keysUri(),
        "must be the http:// or https:// address of the issuer's keys");
    notBlank("access.jwt.issuer", jwt.issuer());
    notBlank("access.jwt.audience", jwt.audience());
    notBlank("access.jwt.roles-claim", jwt.rolesClaim());
  }

  private void notBlank(String setting, String value) {
    faults.require(!value.isBlank(), setting, value, "must not be empty");
  }

  private void checkReachable(ControllerSettings settings) {
    String host = settings.advertisedHost();
    faults.require(
        !Addresses.isWildcard(host),
        "advertised-host",
        host,
        "must be an address that workers can connect to");
    faults.require(
        settings.advertiseLoopback() || !Addresses.isLoopback(host),
        "advertised-host",
        host,
        "must be reachable from other machines, unless kvmesh.advertise-loopback is true");
  }

  private void checkStores(ControllerSettings settings) {
    ControllerSettings.Kafka kafka = settings.kafka();
    faults.require(
        Addresses.isServerList(kafka.bootstrapServers()),
        "kafka.bootstrap-servers",
        kafka.bootstrapServers(),
        "must be host:port, or several separated by commas");
    checkProperties(kafka.propertiesFile());
    range("kafka.partitions", kafka.partitions(), 1, 10_000);
    faults.require(
        kafka.replicationFactor() == -1
            || (kafka.replicationFactor() >= 1 && kafka.replicationFactor() <= 100),
        "kafka.replication-factor",
        kafka.replicationFactor(),
        "must be 1 to 100, or -1 for the broker's default");
    checkRedis(settings.redis());
    checkIndex(settings.index(), settings.redis());
  }

  private void checkProperties(String file) {
    try {
      KafkaCheck.check(ClientProperties.read(file));
    } catch (IOException | InvalidPathException e) {
      faults.add(
          "kafka.properties-file", file, "must be a file that lets Kafka's clients in: " + e);
    }
  }

  private void checkRedis(ControllerSettings.Redis redis) {
    if (!redis.uri().isEmpty() && !addresses(redis).stream().allMatch(SettingsRules::isRedisUri)) {
      faults.add(
          "redis.uri",
          withoutPassword(redis.uri()),
          "must be empty or an address such as redis://host:6379, or several of them, separated by"
              + " commas, if kvmesh.redis.cluster is true");
    }
    faults.require(
        !redis.cluster() || !(redis.uri().isEmpty() || redis.uri().contains("-sentinel:")),
        "redis.cluster",
        redis.cluster(),
        "needs redis:// or rediss:// addresses in kvmesh.redis.uri");
    faults.require(
        redis.username().isEmpty() || !redis.password().isEmpty(),
        "redis.username",
        redis.username(),
        "needs kvmesh.redis.password as well");
    if (!redis.caFile().isEmpty()) {
      checkCertificates(redis.caFile());
      faults.require(
          redis.uri().startsWith("rediss"),
          "redis.ca-file",
          redis.caFile(),
          "is of no use without a rediss:// address in kvmesh.redis.uri");
    }
    range("redis.timeout", redis.timeout(), Duration.ofMillis(100), Duration.ofMinutes(1));
    range(
        "redis.topology-refresh",
        redis.topologyRefresh(),
        Duration.ofSeconds(1),
        Duration.ofHours(1));
  }

  private void checkCertificates(String file) {
    try {
      if (PemContent.load(Path.of(file)).getCertificates().isEmpty()) {
        faults.add("redis.ca-file", file, "must be a file with certificates in PEM");
      }
    } catch (IOException | IllegalStateException | InvalidPathException e) {
      faults.add("redis.ca-file", file, "must be a file of certificates in PEM: " + e);
    }
  }

  private void checkIndex(ControllerSettings.Index index, ControllerSettings.Redis redis) {
    range("index.max-placements", index.maxPlacements(), 0L, 1_000_000_000L);
    faults.require(
        index.serveFrom() == ControllerSettings.ServeFrom.MEMORY || !redis.uri().isEmpty(),
        "index.serve-from",
        index.serveFrom(),
        "needs an address in kvmesh.redis.uri");
  }

  private static List<String> addresses(ControllerSettings.Redis redis) {
    return redis.cluster() ? RedisSettings.split(redis.uri()) : List.of(redis.uri());
  }

  private void checkZmq(ControllerSettings.Zmq zmq) {
    Map<String, String> earlier = new HashMap<>();
    checkBind("zmq.pull-bind", zmq.pullBind(), earlier);
    checkBind("zmq.reply-bind", zmq.replyBind(), earlier);
    checkBind("zmq.heartbeat-bind", zmq.heartbeatBind(), earlier);
    range(
        "zmq.handshake-interval",
        zmq.handshakeInterval(),
        Duration.ofMillis(10),
        Duration.ofSeconds(5));
    range(
        "zmq.max-message-size",
        zmq.maxMessageSize(),
        DataSize.ofKilobytes(64),
        DataSize.ofMegabytes(1024));
    range("zmq.max-connections", zmq.maxConnections(), 8, 100_000);
  }

  /** Each door may be left out; those with a port of their own must not share it. */
  private void checkBind(String setting, String bind, Map<String, String> earlier) {
    if (bind.isEmpty()) {
      return;
    }
    faults.require(
        Addresses.isBind(bind),
        setting,
        bind,
        "must be empty or tcp://host:port, the host a name, an address, [an IPv6 address] or *");
    String other = bind.endsWith(":0") ? null : earlier.putIfAbsent(bind, setting);
    faults.require(other == null, setting, bind, "must differ from kvmesh." + other);
  }

  private void checkLiveness(ControllerSettings.Liveness liveness) {
    range(
        "liveness.heartbeat-interval",
        liveness.heartbeatInterval(),
        Duration.ofMillis(50),
        Duration.ofMinutes(10));
    faults.require(
        liveness.silentAfter().compareTo(liveness.heartbeatInterval()) > 0,
        "liveness.silent-after",
        liveness.silentAfter(),
        "must be longer than kvmesh.liveness.heartbeat-interval ("
            + liveness.heartbeatInterval()
            + ")");
    faults.require(
        liveness.expireAfter().compareTo(liveness.silentAfter()) > 0,
        "liveness.expire-after",
        liveness.expireAfter(),
        "must be longer than kvmesh.liveness.silent-after (" + liveness.silentAfter() + ")");
  }

  private void checkCommands(ControllerSettings.Command command) {
    Duration longest = Duration.ofMinutes(5);
    range("command.timeout", command.timeout(), Duration.ofMillis(100), longest);
    range("command.move-timeout", command.moveTimeout(), Duration.ofMillis(100), longest);
    range("command.max-running", command.maxRunning(), 1, 10_000);
    range("command.max-kept", command.maxKept(), 0, 1_000_000);
    range("command.keep-for", command.keepFor(), Duration.ZERO, Duration.ofDays(30));
  }

  private void checkLimits(ControllerSettings settings) {
    range(
        "front.hold-for", settings.front().holdFor(), Duration.ofMillis(50), Duration.ofMinutes(1));
    range("front.max-held", settings.front().maxHeld(), 0, 1_000_000);
    range("front.max-in-flight", settings.front().maxInFlight(), 1, 1_000_000);
    range("front.max-syncs", settings.front().maxSyncs(), 1, 1_000_000);
    range(
        "front.sync-timeout",
        settings.front().syncTimeout(),
        Duration.ofSeconds(1),
        Duration.ofHours(1));
    // The view is waited for as long before; an LMCache worker waits 30 s in all.
    range(
        "front.claim-wait",
        settings.front().claimWait(),
        Duration.ofMillis(100),
        Duration.ofSeconds(10));
    range(
        "web.max-body",
        settings.web().maxBody(),
        DataSize.ofKilobytes(1),
        DataSize.ofMegabytes(256));
    range("web.max-hashes", settings.web().maxHashes(), 1, 10_000_000);
    range("web.max-tokens", settings.web().maxTokens(), 1, 10_000_000);
    range("web.max-wait", settings.web().maxWait(), Duration.ofMillis(1), Duration.ofMinutes(10));
  }

  private <T extends Comparable<? super T>> void range(
      String setting, T value, T lowest, T highest) {
    faults.requireRange(setting, value, lowest, highest);
  }

  private static boolean isRedisUri(String text) {
    try {
      URI uri = new URI(text);
      return uri.getScheme() != null
          && REDIS_SCHEMES.contains(uri.getScheme())
          && uri.getRawSchemeSpecificPart().startsWith("//")
          && (uri.getScheme().endsWith("-sentinel") || text.indexOf(',') < 0)
          && uri.getRawSchemeSpecificPart().length() > 2;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String withoutPassword(String uri) {
    return uri.replaceAll("//[^@/]*@", "//***@");
  }
}
