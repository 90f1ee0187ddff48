/** What this agent tells the log: numbered events, heartbeats and snapshots. */
@NullMarked
package io.kvmesh.agent.event;

import org.jspecify.annotations.NullMarked;
