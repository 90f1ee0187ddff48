package io.kvmesh.agent.config;

import io.kvmesh.common.settings.SettingFaults;
import java.util.regex.Pattern;

/** What the names of places must be. Adds to the faults, never throws. */
final class TopologyRules {

  private static final Pattern PLACE = Pattern.compile("[^\\p{Cntrl}]{0,253}");

  private final SettingFaults faults;

  TopologyRules(SettingFaults faults) {
    this.faults = faults;
  }

  void check(TopologySettings topology) {
    place("topology.zone", topology.zone());
    place("topology.rack", topology.rack());
    place("topology.host", topology.host());
  }

  private void place(String setting, String name) {
    faults.require(
        PLACE.matcher(name).matches(),
        setting,
        name,
        "must be up to 253 characters, no control ones");
  }
}
