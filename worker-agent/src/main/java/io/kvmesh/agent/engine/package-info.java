/** The doors for the engine beside this agent, and its sessions. */
@NullMarked
package io.kvmesh.agent.engine;

import org.jspecify.annotations.NullMarked;
