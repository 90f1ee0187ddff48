/** Benchmarks of the cache, each beside a bare baseline that takes turns with it. */
@NullMarked
package io.kvmesh.benchmarks.cache;

import org.jspecify.annotations.NullMarked;
