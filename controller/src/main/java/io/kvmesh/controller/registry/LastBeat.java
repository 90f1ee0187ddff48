package io.kvmesh.controller.registry;

import io.kvmesh.common.wire.event.DrainState;
import org.jspecify.annotations.Nullable;

/**
 * What an agent's last heartbeat told besides the announcement.
 *
 * @param clockAheadMillis by how much the agent's clock was ahead of the broker's when the broker
 *     took the heartbeat; negative: it was behind, or the heartbeat was so long on its way; null:
 *     not told
 * @param drain whether it is being drained, or was; null: neither
 */
public record LastBeat(@Nullable Long clockAheadMillis, @Nullable DrainState drain) {

  /** Nothing. */
  public static final LastBeat UNTOLD = new LastBeat(null, null);
}
