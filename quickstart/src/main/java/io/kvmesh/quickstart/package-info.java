/** The whole system on one machine, with a workload. */
@NullMarked
package io.kvmesh.quickstart;

import org.jspecify.annotations.NullMarked;
