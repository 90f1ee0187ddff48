package io.kvmesh.common.wire.event;

import io.kvmesh.common.wire.Extension;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker runs, in names that its operator chose; null = not told.
 *
 * @param zone such as an availability zone
 * @param rack within the zone
 * @param host the machine; no two have the same name
 */
public record Topology(
    @Extension @Nullable String zone,
    @Extension @Nullable String rack,
    @Extension @Nullable String host) {}
