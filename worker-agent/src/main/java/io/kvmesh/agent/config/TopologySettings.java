package io.kvmesh.agent.config;

import io.kvmesh.common.wire.event.Topology;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where this agent runs, in names that the operator chooses.
 *
 * @param zone where this agent runs, such as an availability zone; empty = not told. Of holders of
 *     equally many chunks the nearest is asked first: of the same host, then rack, then zone
 * @param rack where in its zone this agent runs; empty = not told
 * @param host name of the machine on which this agent runs, of which no two have the same; empty =
 *     not told
 */
record TopologySettings(
    @DefaultValue("") String zone, @DefaultValue("") String rack, @DefaultValue("") String host) {

  /** As it is announced; null where nothing is told. */
  @Nullable Topology announced() {
    return zone.isEmpty() && rack.isEmpty() && host.isEmpty()
        ? null
        : new Topology(told(zone), told(rack), told(host));
  }

  private static @Nullable String told(String name) {
    return name.isEmpty() ? null : name;
  }
}
