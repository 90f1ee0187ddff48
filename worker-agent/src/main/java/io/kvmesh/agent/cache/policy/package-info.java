/** Which entry goes first when room is needed. Policies order slots; they know no memory. */
@NullMarked
package io.kvmesh.agent.cache.policy;

import org.jspecify.annotations.NullMarked;
