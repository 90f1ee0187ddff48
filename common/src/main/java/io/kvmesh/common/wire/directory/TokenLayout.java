package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.AsArray;

/** Where an instance holds a prefix, and the index after its last token. An array on the wire. */
@AsArray
public record TokenLayout(String location, long end) {}
