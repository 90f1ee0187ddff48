package io.kvmesh.controller.lookup;

import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.Topology;
import org.jspecify.annotations.Nullable;

/** How near two workers are to each other by what they told of where they run. */
final class Nearness {

  private static final int SAME_HOST = 0;
  private static final int SAME_RACK = 1;
  private static final int SAME_ZONE = 2;
  private static final int FAR = 3;

  private Nearness() {}

  /** From 0, on the same host, to 3, in no common place that both told of. */
  static int distance(@Nullable Announcement one, @Nullable Announcement other) {
    Topology here = one == null ? null : one.topology();
    Topology there = other == null ? null : other.topology();
    if (here == null || there == null) {
      return FAR;
    }
    if (same(here.host(), there.host())) {
      return SAME_HOST;
    }
    boolean sameZone = same(here.zone(), there.zone());
    boolean noZones = here.zone() == null && there.zone() == null;
    if (same(here.rack(), there.rack()) && (sameZone || noZones)) {
      return SAME_RACK;
    }
    return sameZone ? SAME_ZONE : FAR;
  }

  private static boolean same(@Nullable String one, @Nullable String other) {
    return one != null && one.equals(other);
  }
}
