package io.kvmesh.agent.config;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with the settings. One thread. */
final class Faults {

  private final List<SettingFault> found = new ArrayList<>();

  /** The first fault of a setting counts: what follows from it says nothing new. */
  void add(String setting, Object value, String rule) {
    String name = "kvmesh." + setting;
    if (found.stream().noneMatch(fault -> fault.setting().equals(name))) {
      found.add(new SettingFault(name, String.valueOf(value), rule));
    }
  }

  void require(boolean holds, String setting, Object value, String rule) {
    if (!holds) {
      add(setting, value, rule);
    }
  }

  <T extends Comparable<? super T>> void requireRange(
      String setting, T value, T lowest, T highest) {
    require(
        value.compareTo(lowest) >= 0 && value.compareTo(highest) <= 0,
        setting,
        value,
        "must be between " + lowest + " and " + highest);
  }

  void throwIfAny() {
    if (!found.isEmpty()) {
      throw new InvalidSettingsException(found);
    }
  }
}
