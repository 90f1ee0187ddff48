/** How two agents meet: ours, and those of LMCache's transfer channels. */
@NullMarked
package io.kvmesh.common.wire.handshake;

import org.jspecify.annotations.NullMarked;
