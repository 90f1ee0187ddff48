/** Replays a workload through the running system, one request at a time, and counts. */
@NullMarked
package io.kvmesh.quickstart.replay;

import org.jspecify.annotations.NullMarked;
