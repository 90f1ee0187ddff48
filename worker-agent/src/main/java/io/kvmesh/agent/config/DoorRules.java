package io.kvmesh.agent.config;

import io.kvmesh.common.settings.SettingFaults;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** What the settings of the TCP doors must be. Adds to the faults, never throws. */
final class DoorRules {

  /** Clients send them as arguments, which have bounds. */
  private static final int MAX_SECRET_BYTES = 1024;

  private final SettingFaults faults;

  DoorRules(SettingFaults faults) {
    this.faults = faults;
  }

  void check(AgentSettings settings) {
    AgentSettings.Lm lm = settings.lm();
    check("lm", lm.maxConnections(), lm.maxBodyBytes(), lm.idleTimeout(), lm.stallTimeout());
    Resp resp = settings.resp();
    check(
        "resp",
        resp.maxConnections(),
        resp.maxBodyBytes(),
        resp.idleTimeout(),
        resp.stallTimeout());
    checkResp(resp);
  }

  private void checkResp(Resp resp) {
    faults.requireRange("resp.max-arguments", resp.maxArguments(), 8, 1 << 20);
    faults.requireRange("resp.max-half-pairs", resp.maxHalfPairs(), 1, 1_000_000);
    faults.requireRange("resp.max-half-percent", resp.maxHalfPercent(), 0, 100);
    faults.requireRange(
        "resp.half-pair-wait", resp.halfPairWait(), Duration.ofMillis(100), Duration.ofHours(1));
    faults.require(
        !resp.username().isEmpty() && isSendable(resp.username()),
        "resp.username",
        resp.username(),
        "must be 1 to %d bytes".formatted(MAX_SECRET_BYTES));
    faults.require(
        isSendable(resp.password()),
        "resp.password",
        "(not shown)",
        "must be at most %d bytes".formatted(MAX_SECRET_BYTES));
  }

  private static boolean isSendable(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length <= MAX_SECRET_BYTES;
  }

  private void check(
      String door, int maxConnections, DataSize maxBodyBytes, Duration idle, Duration stall) {
    faults.requireRange(door + ".max-connections", maxConnections, 1, 100_000);
    faults.requireRange(
        door + ".max-body-bytes", maxBodyBytes, DataSize.ofBytes(1), DataSize.ofMegabytes(2047));
    faults.requireRange(door + ".idle-timeout", idle, Duration.ofMillis(100), Duration.ofHours(24));
    faults.requireRange(
        door + ".stall-timeout", stall, Duration.ofMillis(100), Duration.ofHours(1));
  }
}
