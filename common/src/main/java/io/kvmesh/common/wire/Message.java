package io.kvmesh.common.wire;

/**
 * A message: on the wire a map whose first key is {@code type}, with the record's simple name, and
 * then a key for every component, named in snake case, in order. Immutable.
 */
public interface Message {}
