/** Moves chunks between agents: serves peers, pulls from them. */
@NullMarked
package io.kvmesh.agent.transfer;

import org.jspecify.annotations.NullMarked;
