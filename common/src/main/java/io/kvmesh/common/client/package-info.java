/** The native door from the engine's side: sessions, and pages that are shared with the agent. */
@NullMarked
package io.kvmesh.common.client;

import org.jspecify.annotations.NullMarked;
