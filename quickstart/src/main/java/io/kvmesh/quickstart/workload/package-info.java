/** What is replayed: a trace file or generated conversations. */
@NullMarked
package io.kvmesh.quickstart.workload;

import org.jspecify.annotations.NullMarked;
