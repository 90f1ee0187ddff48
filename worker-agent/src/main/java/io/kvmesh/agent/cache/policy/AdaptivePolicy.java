package io.kvmesh.agent.cache.policy;

import java.util.function.IntPredicate;

/**
 * Keeps what is used again and again from the many entries that come once, as {@link ReuseOrder}
 * does, and gives newcomers that share of the cache, up to the whole of it, with which small shadow
 * caches of a sample of the keys hit most. With the whole it is lru.
 */
final class AdaptivePolicy implements EvictionPolicy {

  private final ReuseOrder order;
  private final ShareContest contest;

  AdaptivePolicy(int slots, int size) {
    contest = new ShareContest(size);
    order = new ReuseOrder(slots, size, contest.bestShare());
  }

  @Override
  public void added(int slot, long keyHash) {
    order.added(slot, keyHash);
    refer(keyHash);
  }

  @Override
  public void used(int slot) {
    order.used(slot);
    refer(order.keyHash(slot));
  }

  private void refer(long keyHash) {
    if (contest.isSampled(keyHash)) {
      contest.refer(keyHash);
      order.setShare(contest.bestShare());
    }
  }

  @Override
  public void removed(int slot) {
    order.removed(slot);
  }

  @Override
  public int victim(IntPredicate mayGo) {
    return order.victim(mayGo);
  }

  @Override
  public void restored(int slot) {
    order.restored(slot);
  }

  @Override
  public int tier(int slot) {
    return order.tier(slot);
  }

  @Override
  public long position(int slot) {
    return order.position(slot);
  }
}
