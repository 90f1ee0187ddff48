package io.kvmesh.common.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be a worker's address, and what its sync id. */
class WorkerAddressTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.1", "worker-0.workers.ns.svc", "::1", "fe80::1", "[fd00::7]", "h"})
  void hostsOfAMachine_areTaken(String host) {
    assertThatCode(() -> WorkerAddress.require(host, 65_535, null)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0", "*", "a b", "a/b", "a\n"})
  void hostsOfNoMachine_areRefused(String host) {
    assertThatThrownBy(() -> WorkerAddress.require(host, 1, null))
        .isInstanceOf(KeyFormatException.class)
        .hasMessageContaining("'" + host + "'");
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 65_536, Integer.MAX_VALUE})
  void portsOutOfRange_areRefused(int port) {
    assertThatThrownBy(() -> WorkerAddress.require("h", port, null))
        .isInstanceOf(KeyFormatException.class)
        .hasMessage("Invalid port " + port + ": a worker's port is 1 to 65535");
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1:8200, true",
    "tcp://h:8200, true",
    "[fd00::7]:8200, true",
    "url, true",
    "0.0.0.0:8200, false",
    "tcp://0.0.0.0:8200, false",
    "[::]:8200, false",
    "*:8200, false"
  })
  void peerInitUrls(String url, boolean taken) {
    if (taken) {
      assertThatCode(() -> WorkerAddress.require("h", 1, url)).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> WorkerAddress.require("h", 1, url)).hasMessageContaining(url);
    }
  }

  @Test
  void lengths_areBounded_andTheMessageIsShort() {
    String atTheLimit = "x".repeat(512);
    assertThatCode(() -> WorkerAddress.require("x".repeat(255), 1, atTheLimit))
        .doesNotThrowAnyException();
    assertThatCode(() -> SyncId.require(atTheLimit)).doesNotThrowAnyException();
    for (Runnable check :
        new Runnable[] {
          () -> WorkerAddress.require("x".repeat(256), 1, null),
          () -> WorkerAddress.require("h", 1, "x".repeat(1_000_000)),
          () -> SyncId.require("x".repeat(1_000_000)),
          () -> SyncId.require("a\u0000b")
        }) {
      assertThatThrownBy(check::run)
          .isInstanceOf(KeyFormatException.class)
          .satisfies(e -> assertThat(e.toString().length()).isLessThan(400));
    }
  }
}
