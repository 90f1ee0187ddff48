package io.kvmesh.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

class SettingsLoaderTest {

  private static AgentSettings load(Map<String, Object> changes) {
    return TestSettings.with(changes).load();
  }

  private static Map<String, String> faults(Map<String, Object> changes) {
    return TestSettings.with(changes).faults();
  }

  @Test
  void load_withTheLeastThatIsNeeded_takesTheDefaults() {
    AgentSettings settings = load(Map.of());

    assertThat(settings.cluster()).isEqualTo("kvmesh");
    assertThat(settings.model().pageBytes()).isEqualTo(DataSize.ofKilobytes(64));
    assertThat(settings.peer().connectTimeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.engine().deadline()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.controllers()).isEmpty();
  }

  @Test
  void load_ofSeveralControllers_takesThemAll() {
    assertThat(load(Map.of("kvmesh.controllers", "a:8400,[::1]:8400,10.0.0.1:1")).controllers())
        .isEqualTo(List.of("a:8400", "[::1]:8400", "10.0.0.1:1"));
  }

  @Test
  void load_namesEveryFaultAtOnce() {
    Map<String, Object> wrong = new HashMap<>();
    wrong.put("kvmesh.cluster", "a b");
    wrong.put("kvmesh.instance-id", "a/b");
    wrong.put("kvmesh.topology.rack", "r\n1");
    wrong.put("kvmesh.rank", "-1");
    wrong.put("kvmesh.model.name", "");
    wrong.put("kvmesh.model.page-bytes", "many");
    wrong.put("kvmesh.cache.policy", "best");
    wrong.put("kvmesh.controllers", "host");
    wrong.put("kvmesh.kafka.bootstrap-servers", "");
    wrong.put("kvmesh.peer.init-bind", "somewhere");
    wrong.put("kvmesh.peer.connect-timeout", "soon");
    wrong.put("kvmesh.peer.max-loaned", "1B");
    wrong.put("kvmesh.engine.bind", "tcp://127.0.0.1:8202");
    wrong.put("kvmesh.engine.session-idle", "1s");
    wrong.put("kvmesh.zmq.heartbeat-timeout", "0s");
    wrong.put("kvmesh.zmq.max-connections", "7");
    wrong.put("kvmesh.engin.bind", "tcp://127.0.0.1:1");

    assertThat(faults(wrong))
        .containsOnlyKeys(
            "kvmesh.cluster",
            "kvmesh.instance-id",
            "kvmesh.topology.rack",
            "kvmesh.rank",
            "kvmesh.model.name",
            "kvmesh.model.page-bytes",
            "kvmesh.cache.policy",
            "kvmesh.controllers",
            "kvmesh.kafka.bootstrap-servers",
            "kvmesh.peer.init-bind",
            "kvmesh.peer.connect-timeout",
            "kvmesh.peer.max-loaned",
            "kvmesh.engine.bind",
            "kvmesh.engine.session-idle",
            "kvmesh.zmq.heartbeat-timeout",
            "kvmesh.zmq.max-connections",
            "kvmesh.engin.bind");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "*", "127.0.0.1", "127.1.2.3", "::1", "localhost"})
  void load_neverAdvertisesWhatOthersCannotReach(String host) {
    assertThat(faults(Map.of("kvmesh.peer.advertised-host", host)))
        .containsKey("kvmesh.peer.advertised-host");
  }

  @Test
  void load_ofAWildcardBindWithoutAnAdvertisedHost_isRefused() {
    assertThat(faults(Map.of("kvmesh.peer.advertised-host", "")))
        .containsOnlyKeys("kvmesh.peer.advertised-host", "kvmesh.control.advertised-host");
  }

  @Test
  void load_ofALoopbackBind_needsTheSwitch() {
    Map<String, Object> loopback = new HashMap<>();
    loopback.put("kvmesh.peer.advertised-host", "");
    loopback.put("kvmesh.peer.init-bind", "tcp://127.0.0.1:0");
    loopback.put("kvmesh.control.bind", "tcp://127.0.0.1:0");
    assertThat(faults(loopback))
        .containsOnlyKeys("kvmesh.peer.advertised-host", "kvmesh.control.advertised-host");

    loopback.put("kvmesh.advertise-loopback", "true");
    AgentSettings settings = load(loopback);
    assertThat(AdvertisedAddresses.peerHost(settings)).isEqualTo("127.0.0.1");
  }

  @Test
  void load_ofACacheSmallerThanAPage_isRefused() {
    assertThat(faults(Map.of("kvmesh.cache.capacity-bytes", "1KB")))
        .containsOnlyKeys("kvmesh.cache.capacity-bytes");
  }

  @Test
  void load_ofAWorldSize_needsARankWithinItAndAKnownHash() {
    Map<String, Object> named = new HashMap<>(Map.of("kvmesh.model.hash-algorithm", "their-own"));
    assertThat(load(named).model().hashAlgorithm()).isEqualTo("their-own");

    named.put("kvmesh.model.world-size", "2");
    assertThat(faults(named)).containsOnlyKeys("kvmesh.model.hash-algorithm");
    named.put("kvmesh.model.hash-algorithm", "builtin");
    named.put("kvmesh.model.hash-seed", "random");
    assertThat(faults(named).get("kvmesh.model.hash-algorithm")).contains("'random'");
    named.put("kvmesh.model.hash-seed", "0");
    named.put("kvmesh.rank", "2");
    assertThat(faults(named)).containsOnlyKeys("kvmesh.model.world-size");
  }

  @Test
  void load_ofADoorForTheRedisProtocol_namesEveryFaultAndNoPassword() {
    Map<String, Object> wrong = new HashMap<>();
    wrong.put("kvmesh.resp.bind", "tcp://127.0.0.1:65432");
    wrong.put("kvmesh.resp.username", "");
    wrong.put("kvmesh.resp.password", "p".repeat(1025));
    wrong.put("kvmesh.resp.exists", "somewhere");
    wrong.put("kvmesh.resp.max-connections", "0");
    wrong.put("kvmesh.resp.max-body-bytes", "0B");
    wrong.put("kvmesh.resp.max-arguments", "7");
    wrong.put("kvmesh.resp.max-half-pairs", "0");
    wrong.put("kvmesh.resp.max-half-percent", "101");
    wrong.put("kvmesh.resp.half-pair-wait", "0s");
    wrong.put("kvmesh.resp.idle-timeout", "0s");
    wrong.put("kvmesh.resp.stall-timeout", "2h");

    assertThat(faults(wrong)).containsOnlyKeys(wrong.keySet());
    assertThat(faults(wrong).toString()).doesNotContain("ppp");
    assertThat(load(Map.of("kvmesh.resp.password", "secret")).toString()).doesNotContain("secret");
  }

  @Test
  void load_withoutAnInstanceId_takesTheHostsName() {
    assertThat(AdvertisedAddresses.instanceId(load(Map.of("kvmesh.instance-id", "")))).isNotEmpty();
  }
}
