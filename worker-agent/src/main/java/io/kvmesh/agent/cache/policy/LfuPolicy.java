package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * The least often used entry goes; of equals the one that reached its count first. Being put counts
 * one, each use one more.
 */
final class LfuPolicy implements EvictionPolicy {

  private final RankedSlots byCount;

  LfuPolicy(int slots) {
    byCount = new RankedSlots(slots, Integer.MAX_VALUE, RankedSlots.Side.OLDEST);
  }

  @Override
  public void added(int slot, long keyHash) {
    byCount.place(slot, 1);
  }

  @Override
  public void used(int slot) {
    int count = byCount.level(slot);
    byCount.place(slot, count == Integer.MAX_VALUE ? count : count + 1);
  }

  @Override
  public void removed(int slot) {
    byCount.remove(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    return byCount.victim(mayGo);
  }

  @Override
  public void restored(int slot) {
    byCount.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return byCount.level(slot);
  }

  @Override
  public long position(int slot) {
    return byCount.position(slot);
  }
}
