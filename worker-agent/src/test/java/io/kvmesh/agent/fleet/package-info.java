/** Tests of prefetches. */
@NullMarked
package io.kvmesh.agent.fleet;

import org.jspecify.annotations.NullMarked;
