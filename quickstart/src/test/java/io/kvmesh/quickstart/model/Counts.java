package io.kvmesh.quickstart.model;

import io.kvmesh.quickstart.replay.Outcome;

/** The counts of a whole replay, in chunks but for {@code requests}. */
public record Counts(
    long requests,
    long local,
    long peer,
    long miss,
    long notStored,
    long evictions,
    long resident) {

  /** What a real replay counted. */
  public static Counts of(Outcome outcome) {
    return new Counts(
        outcome.requests(),
        outcome.local(),
        outcome.peer(),
        outcome.miss(),
        outcome.notStored(),
        outcome.evictions(),
        outcome.resident());
  }
}
