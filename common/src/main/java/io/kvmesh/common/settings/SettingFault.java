package io.kvmesh.common.settings;

/**
 * One setting that can't be used.
 *
 * @param setting full name, as in {@code kvmesh.zmq.pull-bind}
 * @param value as it was given
 * @param rule what it must be
 */
public record SettingFault(String setting, String value, String rule) {}
