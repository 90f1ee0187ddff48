/** Questions to the controllers: who holds a prefix, and the heartbeats. */
@NullMarked
package io.kvmesh.agent.directory;

import org.jspecify.annotations.NullMarked;
