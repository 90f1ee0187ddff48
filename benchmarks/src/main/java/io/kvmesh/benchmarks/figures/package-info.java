/** Figures of rounds, and how they are printed. */
@NullMarked
package io.kvmesh.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
