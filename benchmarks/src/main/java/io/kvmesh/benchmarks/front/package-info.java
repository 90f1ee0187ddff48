/** LMCache workers that load a controller: how much its sockets take, and how soon it is seen. */
@NullMarked
package io.kvmesh.benchmarks.front;

import org.jspecify.annotations.NullMarked;
