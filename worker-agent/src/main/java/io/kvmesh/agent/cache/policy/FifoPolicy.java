package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/** The entry that was put first goes. */
final class FifoPolicy implements EvictionPolicy {

  private final RankedSlots byPut;

  FifoPolicy(int slots) {
    byPut = new RankedSlots(slots, 1, RankedSlots.Side.OLDEST);
  }

  @Override
  public void added(int slot, long keyHash) {
    byPut.place(slot, 0);
  }

  @Override
  public void used(int slot) {
    // Uses don't count.
  }

  @Override
  public void removed(int slot) {
    byPut.remove(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    return byPut.victim(mayGo);
  }

  @Override
  public void restored(int slot) {
    byPut.restore(slot);
  }

  @Override
  public int tier(int slot) {
    return byPut.level(slot);
  }

  @Override
  public long position(int slot) {
    return byPut.position(slot);
  }
}
