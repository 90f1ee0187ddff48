package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/** The most recently used entry goes; being put is a use. */
final class MruPolicy implements EvictionPolicy {

  private final RankedSlots byUse;

  MruPolicy(int slots) {
    byUse = new RankedSlots(slots, 1, RankedSlots.Side.NEWEST);
  }

  @Override
  public void added(int slot, long keyHash) {
    byUse.place(slot, 0);
  }

  @Override
  public void used(int slot) {
    byUse.place(slot, 0);
  }

  @Override
  public void removed(int slot) {
    byUse.remove(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    return byUse.victim(mayGo);
  }

  @Override
  public void restored(int slot) {
    byUse.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return byUse.level(slot);
  }

  @Override
  public long position(int slot) {
    return byUse.position(slot);
  }
}
