package io.kvmesh.agent.config;

import java.time.Duration;
import org.springframework.util.unit.DataSize;

/** What the settings of the TCP doors must be. Adds to the faults, never throws. */
final class DoorRules {

  private final Faults faults;

  DoorRules(Faults faults) {
    this.faults = faults;
  }

  void check(AgentSettings settings) {
    AgentSettings.Lm lm = settings.lm();
    check("lm", lm.maxConnections(), lm.maxBodyBytes(), lm.idleTimeout(), lm.stallTimeout());
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
