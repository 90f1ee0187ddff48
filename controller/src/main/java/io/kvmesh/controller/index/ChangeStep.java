package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import org.jspecify.annotations.Nullable;

/**
 * A part of a change. Steps are made in order; those that name a location answer with its totals
 * afterwards. The arrays belong to the step and are never changed: no copies on the way of a
 * million operations a second.
 */
@SuppressWarnings("ArrayRecordComponent")
public sealed interface ChangeStep {

  /** The location that it is about; null = all of the worker's. */
  @Nullable String location();

  /** All keys of the worker go, in every location: a life has ended or another has begun. */
  record Drop() implements ChangeStep {

    @Override
    public @Nullable String location() {
      return null;
    }
  }

  /** Nothing changes; asks for the totals. */
  record Measure(String location) implements ChangeStep {}

  /**
   * Admits and evicts, in order. Admitting what is there and evicting what isn't changes nothing.
   *
   * @param admits for each hash, whether it is admitted; else evicted
   * @param marking whether a snapshot is being followed: what is admitted is marked
   */
  record Operations(
      String location, Keyspace keyspace, long[] hashBits, boolean[] admits, boolean marking)
      implements ChangeStep {

    /** Checks the lengths. */
    public Operations {
      if (hashBits.length != admits.length) {
        throw new IllegalArgumentException(
            "%d hashes, %d kinds".formatted(hashBits.length, admits.length));
      }
    }
  }

  /** A snapshot is followed from here on: no key is marked. Ends one that was followed before. */
  record SnapshotBegin(String location) implements ChangeStep {}

  /** The keys are held, and marked. */
  record SnapshotKeys(String location, Keyspace keyspace, long[] hashBits) implements ChangeStep {}

  /** The snapshot was whole: what isn't marked goes. */
  record SnapshotApply(String location) implements ChangeStep {}

  /** The snapshot is followed no longer: every key stays, marks go. */
  record SnapshotVoid(String location) implements ChangeStep {}
}
