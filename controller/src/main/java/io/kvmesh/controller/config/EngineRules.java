package io.kvmesh.controller.config;

import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.settings.SettingFaults;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/** What the settings of engines must be. Adds to the faults, never throws. */
final class EngineRules {

  /** The algorithms that are computed here as vLLM computes them. */
  private static final Set<String> ALGORITHMS =
      Set.of("sha256", "sha256_cbor", "xxhash", "xxhash_cbor");

  private static final int MAX_BLOCK_TOKENS = 1 << 20;
  private static final int MAX_TOPIC_CHARS = 200;

  private final SettingFaults faults;
  private final Map<String, String> workers = new HashMap<>();
  private final Map<String, String> endpoints = new HashMap<>();
  private final Map<Keyspace, ControllerSettings.Engine> keyspaces = new HashMap<>();

  EngineRules(SettingFaults faults) {
    this.faults = faults;
  }

  void check(ControllerSettings.Vllm vllm) {
    faults.require(
        isBetween(vllm.replayTimeout(), Duration.ofMillis(100), Duration.ofMinutes(10)),
        "vllm.replay-timeout",
        vllm.replayTimeout(),
        "must be between PT0.1S and PT10M");
    faults.require(
        isBetween(vllm.maxQueue(), DataSize.ofKilobytes(64), DataSize.ofMegabytes(1024)),
        "vllm.max-queue",
        vllm.maxQueue(),
        "must be between 64KB and 1024MB");
    List<ControllerSettings.Engine> engines = vllm.engines();
    for (int i = 0; i < engines.size(); i++) {
      check("vllm.engines[" + i + "].", engines.get(i));
    }
  }

  private static <T extends Comparable<? super T>> boolean isBetween(T value, T least, T most) {
    return value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
  }

  private void check(String at, ControllerSettings.Engine engine) {
    checkWorker(at, engine);
    checkEndpoint(at + "endpoint", engine.endpoint());
    if (!engine.replayEndpoint().isEmpty()) {
      checkEndpoint(at + "replay-endpoint", engine.replayEndpoint());
    }
    faults.require(
        engine.topic().length() <= MAX_TOPIC_CHARS,
        at + "topic",
        engine.topic(),
        "must have at most " + MAX_TOPIC_CHARS + " characters");
    checkKeys(at, engine);
  }

  private void checkWorker(String at, ControllerSettings.Engine engine) {
    faults.require(engine.rank() >= 0, at + "rank", engine.rank(), "must be 0 or more");
    try {
      WorkerId worker = new WorkerId(engine.instanceId(), Math.max(0, engine.rank()));
      String other = workers.putIfAbsent(worker.toString(), at + "instance-id");
      faults.require(
          other == null,
          at + "instance-id",
          engine.instanceId(),
          "must differ from kvmesh." + other + ", or the ranks must");
    } catch (KeyFormatException e) {
      faults.add(at + "instance-id", engine.instanceId(), String.valueOf(e.getMessage()));
    }
  }

  private void checkEndpoint(String setting, String endpoint) {
    faults.require(
        Addresses.isConnect(endpoint),
        setting,
        endpoint,
        "must be tcp://host:port, the host a name, an address or [an IPv6 address]");
    String other = endpoint.isEmpty() ? null : endpoints.putIfAbsent(endpoint, setting);
    faults.require(other == null, setting, endpoint, "must differ from kvmesh." + other);
  }

  private void checkKeys(String at, ControllerSettings.Engine engine) {
    faults.require(
        engine.blockSize() >= 1 && engine.blockSize() <= MAX_BLOCK_TOKENS,
        at + "block-size",
        engine.blockSize(),
        "must be between 1 and " + MAX_BLOCK_TOKENS);
    String algorithm = engine.hashAlgorithm();
    faults.require(
        algorithm.isEmpty() || ALGORITHMS.contains(algorithm),
        at + "hash-algorithm",
        algorithm,
        "must be empty or one of sha256, sha256_cbor, xxhash, xxhash_cbor");
    faults.require(
        algorithm.isEmpty() == engine.hashSeed().isEmpty(),
        at + "hash-seed",
        engine.hashSeed(),
        "must be given with hash-algorithm, and only with it");
    try {
      Keyspace keyspace = Keyspace.ofEngine(engine.model(), Math.max(1, engine.blockSize()));
      checkSame(at, engine, keyspaces.putIfAbsent(keyspace, engine));
    } catch (KeyFormatException e) {
      faults.add(at + "model", engine.model(), String.valueOf(e.getMessage()));
    }
  }

  private void checkSame(
      String at, ControllerSettings.Engine engine, ControllerSettings.Engine other) {
    faults.require(
        other == null
            || (engine.hashAlgorithm().equals(other.hashAlgorithm())
                && engine.hashSeed().equals(other.hashSeed())),
        at + "hash-algorithm",
        engine.hashAlgorithm(),
        "must be, with hash-seed, the same for all engines of one model and block size");
  }
}
