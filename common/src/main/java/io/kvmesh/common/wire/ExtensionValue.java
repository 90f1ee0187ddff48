package io.kvmesh.common.wire;

/** A value of msgpack's extension types, kept as it came. */
public record ExtensionValue(byte type, Bytes content) {}
