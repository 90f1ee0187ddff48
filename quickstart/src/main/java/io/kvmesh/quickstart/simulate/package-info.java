/** Replays a workload on eviction policies alone: no bodies, no processes, one cache. */
@NullMarked
package io.kvmesh.quickstart.simulate;

import org.jspecify.annotations.NullMarked;
