/** The native door: what an engine says to the agent beside it. */
@NullMarked
package io.kvmesh.common.wire.engine;

import org.jspecify.annotations.NullMarked;
