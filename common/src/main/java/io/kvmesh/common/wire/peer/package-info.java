/** Transfers between two agents: LMCache's P2P protocol with our extensions. */
@NullMarked
package io.kvmesh.common.wire.peer;

import org.jspecify.annotations.NullMarked;
