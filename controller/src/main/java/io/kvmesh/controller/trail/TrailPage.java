package io.kvmesh.controller.trail;

import java.util.List;

/**
 * A part of the trail.
 *
 * @param next what to ask after for what follows
 * @param anew whether what was asked after is of another program, or of this one before it was
 *     started again: then this is the end of the trail
 * @param missed events after the one asked for that are no longer kept; with a choice of kinds at
 *     most so many, and exactly none where it is 0
 * @param events the earliest first
 */
public record TrailPage(long next, boolean anew, long missed, List<TrailEvent> events) {

  /** Copies the collections. */
  public TrailPage {
    events = List.copyOf(events);
  }
}
