package io.kvmesh.controller.lookup;

import io.kvmesh.controller.index.ViewUnavailableException;
import java.util.function.BooleanSupplier;

/**
 * Refuses lookups until the view is whole, since an unread log would look like a miss, and while it
 * can't be asked.
 */
public final class ReadyLookup implements HolderLookup {

  private final BooleanSupplier ready;
  private final HolderLookup lookup;

  public ReadyLookup(BooleanSupplier ready, HolderLookup lookup) {
    this.ready = ready;
    this.lookup = lookup;
  }

  @Override
  public LookupAnswer find(Requester requester, long[] hashBits) {
    try {
      return ready.getAsBoolean() ? lookup.find(requester, hashBits) : new LookupAnswer.NotReady();
    } catch (ViewUnavailableException e) {
      return new LookupAnswer.NotReady();
    }
  }
}
