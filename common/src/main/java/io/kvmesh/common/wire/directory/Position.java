package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.AsArray;

/** An instance and a location of it. An array on the wire. */
@AsArray
public record Position(String instanceId, String location) {}
