package io.kvmesh.controller.lookup;

import java.util.List;
import java.util.Optional;

/** Outcome of a lookup. Not ready is never a miss: the asker should ask another controller. */
public sealed interface LookupAnswer {

  /**
   * The view was asked.
   *
   * @param holders who can serve a prefix, the longest first, then the first registered; empty is a
   *     miss
   * @param mismatched holders passed over, since their bytes would be of no use to the requester
   * @param withoutAddress holders passed over, since nobody could ask them
   */
  record Found(List<Holder> holders, int mismatched, int withoutAddress) implements LookupAnswer {

    /** Copies the collection. */
    public Found {
      holders = List.copyOf(holders);
    }

    /** The one to ask. */
    public Optional<Holder> best() {
      return holders.isEmpty() ? Optional.empty() : Optional.of(holders.getFirst());
    }
  }

  /** The view is not whole yet, or can't be asked. */
  record NotReady() implements LookupAnswer {}
}
