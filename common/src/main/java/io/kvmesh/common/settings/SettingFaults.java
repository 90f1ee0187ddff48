package io.kvmesh.common.settings;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with the settings. One thread. */
public final class SettingFaults {

  private final List<SettingFault> found = new ArrayList<>();

  /**
   * Adds one. The first fault of a setting counts: what follows from it says nothing new.
   *
   * @param setting without {@code kvmesh.}
   * @param rule what the value must be
   */
  public void add(String setting, Object value, String rule) {
    String name = "kvmesh." + setting;
    if (found.stream().noneMatch(fault -> fault.setting().equals(name))) {
      found.add(new SettingFault(name, String.valueOf(value), rule));
    }
  }

  /** Adds one unless that holds. */
  public void require(boolean holds, String setting, Object value, String rule) {
    if (!holds) {
      add(setting, value, rule);
    }
  }

  /** Adds one unless the value is one of these or between them. */
  public <T extends Comparable<? super T>> void requireRange(
      String setting, T value, T lowest, T highest) {
    require(
        value.compareTo(lowest) >= 0 && value.compareTo(highest) <= 0,
        setting,
        value,
        "must be between " + lowest + " and " + highest);
  }

  /**
   * Ends the collecting.
   *
   * @throws InvalidSettingsException with all that was found, if anything was
   */
  public void throwIfAny() {
    if (!found.isEmpty()) {
      throw new InvalidSettingsException(found);
    }
  }
}
