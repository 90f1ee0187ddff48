package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/** The least recently used entry goes; being put is a use. */
final class LruPolicy implements EvictionPolicy {

  private final RankedSlots byUse;

  LruPolicy(int slots) {
    byUse = new RankedSlots(slots, 1, RankedSlots.Side.OLDEST);
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
