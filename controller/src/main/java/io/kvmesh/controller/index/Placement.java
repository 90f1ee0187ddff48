package io.kvmesh.controller.index;

import io.kvmesh.common.key.WorkerId;

/** Where a chunk is: a worker's location. */
public record Placement(WorkerId worker, String location) {}
