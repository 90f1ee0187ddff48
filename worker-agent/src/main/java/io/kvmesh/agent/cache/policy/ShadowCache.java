package io.kvmesh.agent.cache.policy;

/** A small cache of keys without bodies, to see how often a policy would hit. */
final class ShadowCache {

  private final EvictionPolicy policy;
  private final HashedSlots slots;

  /**
   * Nothing yet.
   *
   * @param policy made for so many slots
   */
  ShadowCache(int slots, EvictionPolicy policy) {
    this.slots = new HashedSlots(slots);
    this.policy = policy;
  }

  /** Asks for a key, and keeps it if it isn't there; answers whether it was. */
  boolean refer(long keyHash) {
    int slot = slots.find(keyHash);
    if (slot != HashedSlots.NOT_FOUND) {
      policy.used(slot);
      return true;
    }
    if (slots.isFull()) {
      int victim = policy.victim(ShadowCache::mayGo);
      policy.removed(victim);
      slots.remove(victim);
    }
    policy.added(slots.add(keyHash), keyHash);
    return false;
  }

  private static boolean mayGo(int slot) {
    return true;
  }
}
