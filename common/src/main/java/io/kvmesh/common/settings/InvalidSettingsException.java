package io.kvmesh.common.settings;

import java.util.List;
import java.util.stream.Collectors;

/** The settings can't be used; names every fault, not only the first. */
public final class InvalidSettingsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<SettingFault> faults;

  InvalidSettingsException(List<SettingFault> faults) {
    super(describe(faults));
    this.faults = List.copyOf(faults);
  }

  /** Each setting once, in the order in which they were found. */
  public List<SettingFault> faults() {
    return faults;
  }

  private static String describe(List<SettingFault> faults) {
    return faults.stream()
        .map(fault -> "%s = '%s': %s".formatted(fault.setting(), fault.value(), fault.rule()))
        .collect(Collectors.joining(System.lineSeparator()));
  }
}
