/**
 * What engines get through the doors for LMCache's connectors, beside a Redis and plain sockets.
 */
@NullMarked
package io.kvmesh.benchmarks.door;

import org.jspecify.annotations.NullMarked;
