package io.kvmesh.controller.lmcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.zmq.SocketSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeartbeatUrlTest {

  private static final int HEARTBEATS = 8082;
  private static final int REQUESTS = 8400;
  private static final String OWN = "10.0.0.5";

  @Test
  void advertisedHost_winsForEveryone() {
    assertThat(told("controller", "tcp://0.0.0.0:8082", HEARTBEATS, OWN))
        .isEqualTo(Map.of("heartbeat_url", "controller:8082"));
  }

  @Test
  void anyAddress_isThisMachines_andTheLoopbackForItsOwnWorkers() {
    for (String bind : new String[] {"tcp://0.0.0.0:8082", "tcp://*:8082", "tcp://[::]:8082"}) {
      assertThat(told("", bind, HEARTBEATS, "10.0.0.9"))
          .isEqualTo(Map.of("heartbeat_url", "10.0.0.5:8082"));
      assertThat(told("", bind, HEARTBEATS, OWN))
          .isEqualTo(Map.of("heartbeat_url", "127.0.0.1:8082"));
    }
  }

  @Test
  void oneAddress_isToldAsItIs() {
    assertThat(told("", "tcp://10.1.1.1:0", HEARTBEATS, OWN))
        .isEqualTo(Map.of("heartbeat_url", "10.1.1.1:8082"));
  }

  @Test
  void noHeartbeatSocket_theReplySocketTakesThem_ifItsHostIsKnown() {
    assertThat(told("controller", "", 0, OWN))
        .isEqualTo(Map.of("heartbeat_url", "controller:8400"));
    assertThat(told("", "", 0, OWN)).isEmpty();
  }

  @Test
  void ownAddress_isAnAddress() {
    assertThat(HeartbeatUrl.ownAddress()).isNotEmpty().isNotEqualTo("0.0.0.0");
  }

  private static Map<String, String> told(
      String advertised, String heartbeatBind, int heartbeatPort, String workerIp) {
    var settings =
        new FrontSettings(
            "",
            "tcp://0.0.0.0:8400",
            heartbeatBind,
            advertised,
            SocketSettings.DEFAULT,
            Duration.ofSeconds(1),
            1,
            1,
            Duration.ofSeconds(1),
            1,
            Duration.ofSeconds(1));
    return new HeartbeatUrl(settings, () -> heartbeatPort, () -> REQUESTS, () -> OWN)
        .extraConfig(workerIp);
  }
}
