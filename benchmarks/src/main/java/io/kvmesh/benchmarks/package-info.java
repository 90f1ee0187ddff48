/** Benchmarks. */
@NullMarked
package io.kvmesh.benchmarks;

import org.jspecify.annotations.NullMarked;
