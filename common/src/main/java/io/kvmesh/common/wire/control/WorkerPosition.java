package io.kvmesh.common.wire.control;

import io.kvmesh.common.wire.AsArray;

/** A worker, by its peer address, and a location of it. An array on the wire. */
@AsArray
public record WorkerPosition(String peerInitUrl, String location) {}
