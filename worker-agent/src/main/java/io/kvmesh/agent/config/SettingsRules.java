package io.kvmesh.agent.config;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.agent.transfer.Channels;
import io.kvmesh.common.access.AccessTokens;
import io.kvmesh.common.hash.ChunkHashing;
import io.kvmesh.common.settings.SettingFaults;
import io.kvmesh.common.zmq.CurveKeys;
import io.kvmesh.program.kafka.ClientProperties;
import io.kvmesh.program.kafka.KafkaCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.util.unit.DataSize;

/** What each setting must be. Adds to the faults, never throws. */
final class SettingsRules {

  private static final Pattern CLUSTER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern INSTANCE = Pattern.compile("[^/\\p{Cntrl}]{1,200}");
  private static final Pattern KEY_PART = Pattern.compile("[^@\\p{Cntrl}]{1,200}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.:_%-]{1,253}");

  /** Of sockaddr_un, less the zero at the end. */
  private static final int LONGEST_SOCKET_PATH = 107;

  private final SettingFaults faults;

  SettingsRules(SettingFaults faults) {
    this.faults = faults;
  }

  void check(AgentSettings settings) {
    checkIdentity(settings);
    new TopologyRules(faults).check(settings.topology());
    checkModel(settings);
    new MemoryRules(faults, settings).check();
    checkCache(settings);
    checkPins(settings.pin());
    checkLog(settings);
    checkBinds(settings);
    checkAdvertised(settings);
    checkPeer(settings.peer());
    checkChannels(settings);
    checkMove(settings.move());
    checkDrain(settings.drain());
    checkPrefetch(settings.prefetch());
    checkEngine(settings.engine());
    new DoorRules(faults).check(settings);
    checkHandOver(settings);
    checkTimes(settings);
    checkSecurity(settings);
    checkAccess(settings.access().tokensFile());
  }

  private void checkAccess(String file) {
    try {
      if (!file.isEmpty()) {
        AccessTokens.read(Path.of(file));
      }
    } catch (IOException | InvalidPathException e) {
      faults.add("access.tokens-file", file, "must be a file of lines with role and token: " + e);
    }
  }

  private void checkSecurity(AgentSettings settings) {
    String file = settings.security().keyFile();
    if (file.isEmpty()) {
      return;
    }
    try {
      CurveKeys.read(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      faults.add("security.key-file", file, "must be a file with a key: " + e);
    }
    checkOnLoopback("engine.bind", settings.engine().bind());
    if (settings.lm().enabled()) {
      checkOnLoopback("lm.bind", settings.lm().bind());
    }
    if (settings.resp().enabled()) {
      checkOnLoopback("resp.bind", settings.resp().bind());
    }
  }

  private void checkOnLoopback(String setting, String bind) {
    faults.require(
        Endpoint.parse(bind).map(Endpoint::host).filter(Endpoint::isLoopback).isPresent(),
        setting,
        bind,
        "must be on the loopback with kvmesh.security.key-file: this door has no keys");
  }

  private void checkIdentity(AgentSettings settings) {
    faults.require(
        CLUSTER.matcher(settings.cluster()).matches(),
        "cluster",
        settings.cluster(),
        "must be 1 to 100 letters, digits, '.', '_' or '-', beginning with a letter or digit");
    String instance = AdvertisedAddresses.instanceId(settings);
    faults.require(
        INSTANCE.matcher(instance).matches(),
        "instance-id",
        settings.instanceId(),
        "must be 1 to 200 characters without '/' and control characters, and is needed where the"
            + " host has no name");
    range("rank", settings.rank(), 0, 65_535);
    faults.require(
        settings.parentPid() >= 0,
        "parent-pid",
        settings.parentPid(),
        "must be a process id, or 0 for none");
  }

  private void checkModel(AgentSettings settings) {
    AgentSettings.Model model = settings.model();
    keyPart("model.name", model.name());
    keyPart("model.dtype", model.dtype());
    new ModelRules(faults, model).check();
    keyPart("model.hash-algorithm", model.hashAlgorithm());
    if (model.worldSize() != 0) {
      checkTokens(settings);
    }
  }

  /** Commands may name tokens: their keys must be known. */
  private void checkTokens(AgentSettings settings) {
    AgentSettings.Model model = settings.model();
    int least = model.saveOnlyFirstRank() ? 1 : settings.rank() + 1;
    range("model.world-size", model.worldSize(), least, 65_536);
    try {
      ChunkHashing.of(model.hashAlgorithm(), model.hashSeed());
    } catch (IllegalArgumentException e) {
      faults.add("model.hash-algorithm", model.hashAlgorithm(), String.valueOf(e.getMessage()));
    }
  }

  private void checkCache(AgentSettings settings) {
    try {
      PolicyName.parse(settings.cache().policy());
    } catch (IllegalArgumentException e) {
      faults.add("cache.policy", settings.cache().policy(), String.valueOf(e.getMessage()));
    }
    DataSize compressed = settings.cache().compressedBytes();
    faults.require(
        compressed.toBytes() == 0 || compressed.toBytes() >= RangeAllocator.DEFAULT_ALIGNMENT,
        "cache.compressed-bytes",
        compressed,
        "must be 0 or at least %d".formatted(RangeAllocator.DEFAULT_ALIGNMENT));
  }

  private void checkPins(AgentSettings.Pin pin) {
    range("pin.max-percent", pin.maxPercent(), 0, 100);
  }

  private void checkProperties(String file) {
    try {
      KafkaCheck.check(ClientProperties.read(file));
    } catch (IOException | InvalidPathException e) {
      faults.add(
          "kafka.properties-file", file, "must be a file that lets Kafka's clients in: " + e);
    }
  }

  private void checkLog(AgentSettings settings) {
    AgentSettings.Kafka kafka = settings.kafka();
    faults.require(
        areServers(List.of(kafka.bootstrapServers().split(",", -1))),
        "kafka.bootstrap-servers",
        kafka.bootstrapServers(),
        "must be host:port, or several separated by commas");
    checkProperties(kafka.propertiesFile());
    range("kafka.partitions", kafka.partitions(), 1, 10_000);
    range("kafka.outbox-events", kafka.outboxEvents(), 16, 10_000_000);
    millis("kafka.snapshot-interval", kafka.snapshotInterval(), 1_000, 3_600_000);
    faults.require(
        areServers(settings.controllers()),
        "controllers",
        String.join(",", settings.controllers()),
        "must be host:port, or several separated by commas");
    range("directory.max-in-flight", settings.directory().maxInFlight(), 1, 1_000_000);
    range("directory.cache-chunks", settings.directory().cacheChunks(), 0, 10_000_000);
  }

  private void checkBinds(AgentSettings settings) {
    Map<String, String> taken = new HashMap<>();
    Map<String, String> binds =
        Map.of(
            "peer.init-bind", settings.peer().initBind(),
            "peer.lookup-bind", settings.peer().lookupBind(),
            "control.bind", settings.control().bind(),
            "engine.bind", settings.engine().bind(),
            "lm.bind", settings.lm().bind(),
            "resp.bind", settings.resp().bind());
    binds.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(bind -> checkBind(bind.getKey(), bind.getValue(), taken));
  }

  private void checkBind(String setting, String value, Map<String, String> taken) {
    Optional<Endpoint> endpoint = Endpoint.parse(value);
    if (endpoint.isEmpty()) {
      faults.add(
          setting, value, "must be tcp://host:port, the host a name, an address, [IPv6] or *");
    } else if (endpoint.get().port() != 0) {
      String other = taken.putIfAbsent(String.valueOf(endpoint.get().port()), setting);
      faults.require(other == null, setting, value, "must not share its port with kvmesh." + other);
    }
  }

  private void checkAdvertised(AgentSettings settings) {
    advertised(
        "peer.advertised-host",
        settings.peer().advertisedHost(),
        AdvertisedAddresses.peerHost(settings),
        settings.advertiseLoopback());
    advertised(
        "control.advertised-host",
        settings.control().advertisedHost(),
        AdvertisedAddresses.controlHost(settings),
        settings.advertiseLoopback());
  }

  private void advertised(String setting, String given, String host, boolean loopback) {
    if (!given.isEmpty() && !HOST.matcher(given).matches()) {
      faults.add(setting, given, "must be a host name or an address, without scheme and port");
    } else if (Endpoint.isWildcard(host)) {
      faults.add(
          setting,
          given,
          "must name the address under which others reach this agent: %s can't be connected to"
              .formatted(host));
    } else if (Endpoint.isLoopback(host) && !loopback) {
      faults.add(
          setting,
          given,
          "must name the address under which others reach this agent: %s is reached from this"
                  .formatted(host)
              + " machine alone (kvmesh.advertise-loopback = true allows it)");
    }
  }

  private void checkPeer(AgentSettings.Peer peer) {
    range("peer.get-bytes", peer.getBytes(), DataSize.ofBytes(1), DataSize.ofMegabytes(1024));
    atLeast("peer.max-in-flight-per-peer", peer.maxInFlightPerPeer(), DataSize.ofBytes(1));
    atLeast("peer.max-in-flight", peer.maxInFlight(), peer.maxInFlightPerPeer());
    range("peer.copy-threads", peer.copyThreads(), 0, 64);
    range("peer.max-attempts", peer.maxAttempts(), 1, 100);
    range("peer.max-holders", peer.maxHolders(), 1, 64);
    atLeast("peer.max-loaned-per-peer", peer.maxLoanedPerPeer(), DataSize.ofBytes(1));
    atLeast("peer.max-loaned", peer.maxLoaned(), peer.maxLoanedPerPeer());
    range("peer.max-overdue-per-peer", peer.maxOverduePerPeer(), 1, 1_000_000);
    range("peer.max-peers", peer.maxPeers(), 1, 100_000);
  }

  private void checkChannels(AgentSettings settings) {
    List<String> channels = settings.peer().channels();
    String value = String.join(",", channels);
    faults.require(
        !channels.isEmpty()
            && Channels.ALL.containsAll(channels)
            && Set.copyOf(channels).size() == channels.size(),
        "peer.channels",
        value,
        "must be one or more of " + String.join(",", Channels.ALL) + ", none of them twice");
    faults.require(
        !channels.equals(List.of(Channels.SHM)) || !settings.memory().file().isEmpty(),
        "peer.channels",
        value,
        "must not be shm alone without kvmesh.memory.file");
  }

  private void checkMove(AgentSettings.Move move) {
    range("move.max-held-percent", move.maxHeldPercent(), 0, 100);
    range("move.max-puts", move.maxPuts(), 1, 10_000);
    millis("move.deadline", move.deadline(), 10, 3_600_000);
    millis("move.put-deadline", move.putDeadline(), 10, 600_000);
    millis("move.hold", move.hold(), 100, 3_600_000);
  }

  private void checkDrain(Drain drain) {
    millis("drain.at-shutdown", drain.atShutdown(), 0, 3_600_000);
    range("drain.max-displaced-percent", drain.maxDisplacedPercent(), 0, 100);
  }

  private void checkPrefetch(AgentSettings.Prefetch prefetch) {
    range("prefetch.max-running", prefetch.maxRunning(), 0, 64);
    millis("prefetch.deadline", prefetch.deadline(), 10, 3_600_000);
    range("prefetch.max-held-percent", prefetch.maxHeldPercent(), 1, 100);
  }

  private void checkEngine(AgentSettings.Engine engine) {
    range("engine.max-sessions", engine.maxSessions(), 1, 100_000);
    range("engine.max-leases", engine.maxLeases(), 1, 1_000_000);
    atLeast("engine.max-leased-bytes", engine.maxLeasedBytes(), DataSize.ofBytes(0));
    range("engine.max-requests", engine.maxRequests(), 1, 100_000);
    range("engine.max-keys", engine.maxKeys(), 1, 1 << 20);
  }

  private void checkHandOver(AgentSettings settings) {
    range("engine.max-handed-percent", settings.engine().maxHandedPercent(), 1, 100);
    String file = settings.memory().file();
    int bytes = socketPathBytes(file);
    faults.require(
        !settings.engine().handOver() || bytes <= LONGEST_SOCKET_PATH,
        "memory.file",
        file,
        "must be shorter: with %s it has %d bytes, and the path of a Unix socket at most %d"
                .formatted(Parts.SOCKET_SUFFIX, bytes, LONGEST_SOCKET_PATH)
            + " (kvmesh.engine.hand-over = false needs none)");
  }

  private static int socketPathBytes(String file) {
    try {
      return file.isEmpty()
          ? 0
          : Parts.socket(Path.of(file)).toString().getBytes(StandardCharsets.UTF_8).length;
    } catch (InvalidPathException e) {
      return 0; // that is a fault of its own
    }
  }

  private void checkTimes(AgentSettings settings) {
    millis("directory.attempt-timeout", settings.directory().attemptTimeout(), 1, 60_000);
    millis("directory.cache-age", settings.directory().cacheAge(), 0, 60_000);
    millis("directory.pass-over-most", settings.directory().passOverMost(), 1, 600_000);
    millis("peer.connect-timeout", settings.peer().connectTimeout(), 10, 60_000);
    millis("peer.pass-over-most", settings.peer().passOverMost(), 1, 600_000);
    millis("peer.loan-deadline", settings.peer().loanDeadline(), 10, 3_600_000);
    millis("peer.idle-timeout", settings.peer().idleTimeout(), 100, 86_400_000);
    millis("engine.deadline", settings.engine().deadline(), 1, 600_000);
    millis("engine.session-idle", settings.engine().sessionIdle(), 100, 86_400_000);
    Duration noticed = settings.zmq().heartbeatInterval().plus(settings.zmq().heartbeatTimeout());
    faults.require(
        settings.engine().sessionIdle().compareTo(noticed.multipliedBy(2)) >= 0,
        "engine.session-idle",
        settings.engine().sessionIdle(),
        "must be at least twice the time in which a dead connection is noticed, which is the sum"
            + " of kvmesh.zmq.heartbeat-interval and -timeout ("
            + noticed
            + ")");
    millis("engine.lease-lifetime", settings.engine().leaseLifetime(), 100, 86_400_000);
    millis("pin.lifetime", settings.pin().lifetime(), 100, 86_400_000);
    millis("pin.check-interval", settings.pin().checkInterval(), 10, 3_600_000);
    millis("engine.store-wait", settings.engine().storeWait(), 0, 30_000);
    millis("liveness.heartbeat-interval", settings.liveness().heartbeatInterval(), 50, 600_000);
    AgentSettings.Zmq zmq = settings.zmq();
    millis("zmq.handshake-interval", zmq.handshakeInterval(), 10, 5_000);
    millis("zmq.heartbeat-interval", zmq.heartbeatInterval(), 10, 600_000);
    millis("zmq.heartbeat-timeout", zmq.heartbeatTimeout(), 1, 600_000);
    range("zmq.max-connections", zmq.maxConnections(), 8, 100_000);
  }

  private void keyPart(String setting, String value) {
    faults.require(
        KEY_PART.matcher(value).matches(),
        setting,
        value,
        "must be 1 to 200 characters without '@' and control characters");
  }

  private void millis(String setting, Duration value, long lowest, long highest) {
    range(setting, value, Duration.ofMillis(lowest), Duration.ofMillis(highest));
  }

  private <T extends Comparable<? super T>> void atLeast(String setting, T value, T lowest) {
    faults.require(value.compareTo(lowest) >= 0, setting, value, "must be at least " + lowest);
  }

  private <T extends Comparable<? super T>> void range(
      String setting, T value, T lowest, T highest) {
    faults.requireRange(setting, value, lowest, highest);
  }

  private static boolean areServers(List<String> servers) {
    return servers.stream()
        .map(Endpoint::parse)
        .allMatch(
            server ->
                server.isPresent()
                    && server.get().port() > 0
                    && !Endpoint.isWildcard(server.get().host()));
  }
}
