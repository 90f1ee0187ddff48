/** What the fleet has and is brought here: who has the rest of a prefix, its pull, prefetches. */
@NullMarked
package io.kvmesh.agent.fleet;

import org.jspecify.annotations.NullMarked;
