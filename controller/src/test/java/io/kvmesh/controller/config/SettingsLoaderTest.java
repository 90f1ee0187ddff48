package io.kvmesh.controller.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvmesh.common.settings.InvalidSettingsException;
import io.kvmesh.common.settings.SettingFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class SettingsLoaderTest {

  @Test
  void nothingGiven_defaults() {
    ControllerSettings settings = load(Map.of());

    assertThat(settings.cluster()).isEqualTo("kvmesh");
    assertThat(settings.redis().uri()).isEmpty();
    assertThat(settings.zmq().pullBind()).isEqualTo("tcp://0.0.0.0:8300");
    assertThat(settings.zmq().replyBind()).isEqualTo("tcp://0.0.0.0:8400");
    assertThat(settings.zmq().heartbeatBind()).isEqualTo("tcp://0.0.0.0:8082");
    assertThat(settings.liveness().heartbeatInterval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.parentPid()).isZero();
  }

  @Test
  void goodValues_taken() {
    ControllerSettings settings =
        load(
            Map.of(
                "kvmesh.cluster", "fleet-1",
                "kvmesh.kafka.bootstrap-servers", "k1:9092, [::1]:9093",
                "kvmesh.redis.uri", "redis://:secret@cache:6379/1",
                "kvmesh.zmq.pull-bind", "tcp://[::]:0",
                "kvmesh.zmq.reply-bind", "tcp://*:0",
                "kvmesh.liveness.silent-after", "6s"));

    assertThat(settings.cluster()).isEqualTo("fleet-1");
    assertThat(settings.zmq().pullBind()).isEqualTo("tcp://[::]:0");
    assertThat(settings.liveness().silentAfter()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void hash_mustBeOneThatCanBeComputed() {
    assertThat(load(Map.of("kvmesh.hash.algorithm", "sha256_cbor")).hash().chunkTokens())
        .isEqualTo(256);

    assertThat(faults(Map.of("kvmesh.hash.algorithm", "md5", "kvmesh.hash.chunk-tokens", "0")))
        .extracting(SettingFault::setting)
        .containsExactlyInAnyOrder("kvmesh.hash.algorithm", "kvmesh.hash.chunk-tokens");
    assertThat(faults(Map.of("kvmesh.hash.seed", "random")))
        .extracting(SettingFault::setting)
        .containsExactly("kvmesh.hash.seed");
  }

  @Test
  void manyFaults_allNamedAtOnce() {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("kvmesh.cluster", "two words");
    given.put("kvmesh.kafka.bootstrap-servers", "kafka");
    given.put("kvmesh.kafka.partitions", "many");
    given.put("kvmesh.redis.uri", "http://user:secret@cache");
    given.put("kvmesh.zmq.pull-bind", "0.0.0.0:8300");
    given.put("kvmesh.zmq.reply-bind", "tcp://h:70000");
    given.put("kvmesh.liveness.heartbeat-interval", "soon");
    given.put("kvmesh.liveness.expire-after", "10s");
    given.put("kvmesh.web.max-hashes", "0");
    given.put("kvmesh.web.max-tokens", "0");
    given.put("kvmesh.command.max-running", "0");
    given.put("kvmesh.hash.algorithm", "md5");
    given.put("kvmesh.hash.chunk-tokens", "0");
    given.put("kvmesh.kafka.bootstrap-server", "typo:9092");
    given.put("kvmesh.advertised-host", "0.0.0.0");
    given.put("kvmesh.advertise-loopback", "perhaps");

    InvalidSettingsException thrown =
        catchThrowableOfType(InvalidSettingsException.class, () -> load(given));

    assertThat(thrown.faults())
        .extracting(SettingFault::setting)
        .containsExactlyInAnyOrderElementsOf(given.keySet());
    assertThat(thrown).hasMessageContaining("'many': must be a whole number");
    assertThat(thrown).hasMessageContaining("'soon': must be a duration such as 200ms, 5s or 2m");
    assertThat(thrown).hasMessageContaining("is not a setting of the controller");
    assertThat(thrown.getMessage()).doesNotContain("secret");
  }

  @Test
  void redisOfACluster_mayHaveSeveralAddresses_andCredentialsApart() {
    ControllerSettings settings =
        load(
            Map.of(
                "kvmesh.redis.uri", "rediss://r1:6379, rediss://r2:6379",
                "kvmesh.redis.cluster", "true",
                "kvmesh.redis.username", "kvmesh",
                "kvmesh.redis.password", "hush",
                "kvmesh.redis.topology-refresh", "10s",
                "kvmesh.index.max-placements", "1000000"));

    assertThat(settings.redis().cluster()).isTrue();
    assertThat(settings.index().maxPlacements()).isEqualTo(1_000_000);
    assertThat(settings.toString()).doesNotContain("hush");
  }

  @Test
  void redisSettingsThatDontFit_named() {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("kvmesh.redis.uri", "redis://r1:6379,redis://r2:6379");
    given.put("kvmesh.redis.username", "somebody");
    given.put("kvmesh.redis.ca-file", "/no/such/file");
    given.put("kvmesh.redis.timeout", "1ms");
    given.put("kvmesh.redis.topology-refresh", "0s");
    given.put("kvmesh.index.max-placements", "-1");

    InvalidSettingsException thrown =
        catchThrowableOfType(InvalidSettingsException.class, () -> load(given));

    assertThat(thrown.faults())
        .extracting(SettingFault::setting)
        .containsExactlyInAnyOrderElementsOf(given.keySet());
  }

  @Test
  void fileWithoutCertificates_isRefused(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("ca.crt"), "not a certificate");

    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class,
            () ->
                load(
                    Map.of(
                        "kvmesh.redis.uri",
                        "rediss://r1:6379",
                        "kvmesh.redis.ca-file",
                        file.toString())));

    assertThat(thrown)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("must be a file of certificates in PEM");
  }

  @Test
  void loopback_isAdvertisedOnlyWhereAllowed() {
    for (String host : List.of("127.0.0.1", "localhost", "::1")) {
      assertThat(
              catchThrowableOfType(
                      InvalidSettingsException.class,
                      () -> load(Map.of("kvmesh.advertised-host", host)))
                  .faults())
          .extracting(SettingFault::setting)
          .containsExactly("kvmesh.advertised-host");
      assertThat(
              load(Map.of("kvmesh.advertised-host", host, "kvmesh.advertise-loopback", "true"))
                  .advertisedHost())
          .isEqualTo(host);
    }
  }

  @Test
  void sameBindTwice_named() {
    InvalidSettingsException thrown =
        catchThrowableOfType(
            InvalidSettingsException.class,
            () -> load(Map.of("kvmesh.zmq.reply-bind", "tcp://0.0.0.0:8300")));

    assertThat(thrown.faults())
        .isEqualTo(
            List.of(
                new SettingFault(
                    "kvmesh.zmq.reply-bind",
                    "tcp://0.0.0.0:8300",
                    "must differ from kvmesh.zmq.pull-bind")));
  }

  @Test
  void eachDoor_canBeLeftOut() {
    ControllerSettings settings =
        load(
            Map.of(
                "kvmesh.zmq.pull-bind", "",
                "kvmesh.zmq.reply-bind", "",
                "kvmesh.zmq.heartbeat-bind", ""));

    assertThat(settings.zmq().heartbeatBind()).isEmpty();
  }

  private static Map<String, Object> engine(int index, Map<String, Object> other) {
    String at = "kvmesh.vllm.engines[" + index + "].";
    Map<String, Object> given = new LinkedHashMap<>();
    given.put(at + "instance-id", "vllm-" + index);
    given.put(at + "endpoint", "tcp://pod-" + index + ":5557");
    given.put(at + "model", "llama");
    other.forEach((name, value) -> given.put(at + name, value));
    return given;
  }

  @Test
  void engines_haveDefaults() {
    ControllerSettings.Engine engine = load(engine(0, Map.of())).vllm().engines().getFirst();

    assertThat(engine.blockSize()).isEqualTo(16);
    assertThat(engine.rank()).isZero();
    assertThat(engine.replayEndpoint()).isEmpty();
    assertThat(load(Map.of()).vllm().engines()).isEmpty();
  }

  @Test
  void enginesThatDontFit_allNamedAtOnce() {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("kvmesh.vllm.replay-timeout", "1ms");
    given.putAll(
        engine(
            0,
            Map.of(
                "instance-id", "a/b",
                "endpoint", "tcp://*:5557",
                "replay-endpoint", "pod:5558",
                "model", "a@b",
                "block-size", "0",
                "hash-algorithm", "md5",
                "rank", "-1")));
    given.putAll(engine(1, Map.of("hash-algorithm", "sha256")));
    given.putAll(engine(2, Map.of("instance-id", "vllm-1", "endpoint", "tcp://pod-1:5557")));
    given.put("kvmesh.vllm.engines[2].typo", "1");

    assertThat(faults(given))
        .extracting(fault -> fault.setting().replace("kvmesh.vllm.", ""))
        .containsExactlyInAnyOrder(
            "replay-timeout",
            "engines[0].instance-id",
            "engines[0].endpoint",
            "engines[0].replay-endpoint",
            "engines[0].model",
            "engines[0].block-size",
            "engines[0].hash-algorithm",
            "engines[0].hash-seed",
            "engines[0].rank",
            "engines[1].hash-seed",
            "engines[2].instance-id",
            "engines[2].endpoint",
            "engines[2].hash-algorithm",
            "engines[2].typo");
  }

  private static List<SettingFault> faults(Map<String, ?> properties) {
    return catchThrowableOfType(InvalidSettingsException.class, () -> load(properties)).faults();
  }

  private static ControllerSettings load(Map<String, ?> properties) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("given", new LinkedHashMap<>(properties)));
    return SettingsLoader.load(environment);
  }
}
