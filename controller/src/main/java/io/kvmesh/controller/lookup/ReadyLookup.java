package io.kvmesh.controller.lookup;

import java.util.function.BooleanSupplier;

/** Refuses lookups until the view is whole: an unread log would look like a miss. */
public final class ReadyLookup implements HolderLookup {

  private final BooleanSupplier ready;
  private final HolderLookup lookup;

  public ReadyLookup(BooleanSupplier ready, HolderLookup lookup) {
    this.ready = ready;
    this.lookup = lookup;
  }

  @Override
  public LookupAnswer find(Requester requester, long[] hashBits) {
    return ready.getAsBoolean() ? lookup.find(requester, hashBits) : new LookupAnswer.NotReady();
  }
}
