package io.kvmesh.agent.engine.tcp;

import io.kvmesh.common.count.Counters;
import java.util.Optional;
import java.util.Set;

/**
 * A kind of door that an agent may have.
 *
 * @param name a word, the same in settings and metrics
 * @param bind as in the settings
 * @param door empty where it isn't enabled
 * @param kinds what can happen at it
 * @param counters at zero then
 */
public record NamedDoor(
    String name,
    String bind,
    Optional<TcpDoor> door,
    Set<DoorCount> kinds,
    Counters<DoorCount> counters) {

  public NamedDoor {
    kinds = Set.copyOf(kinds);
  }

  /** Clients that are connected. */
  public int connections() {
    return door.map(TcpDoor::connections).orElse(0);
  }
}
