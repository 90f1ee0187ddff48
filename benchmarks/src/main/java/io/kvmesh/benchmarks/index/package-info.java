/** Benchmarks of the controller's index, each beside a bare map that takes turns with it. */
@NullMarked
package io.kvmesh.benchmarks.index;

import org.jspecify.annotations.NullMarked;
