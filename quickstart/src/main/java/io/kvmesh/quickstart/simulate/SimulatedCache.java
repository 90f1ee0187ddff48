package io.kvmesh.quickstart.simulate;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * One cache under the rules of a replay: the chunks of a request's resident prefix are used, the
 * last one first; the rest is put in order, each evicting one where the cache is full. What a
 * request has hit or put can't go before the request ends. A chunk that lies behind a gap is left
 * as it is when its turn comes. As in an agent, room is made for all of a request before the first
 * of them is put.
 */
final class SimulatedCache {

  private static final int NONE = -1;

  private final NumberedBlocks blocks;
  private final EvictionPolicy policy;
  private final IntPredicate mayGo = this::mayGo;

  /** The slot of each block, or NONE. */
  private final int[] slots;

  /** The block of each slot. */
  private final int[] residents;

  /** By slot: the last request that hit or put it. */
  private final int[] heldBy;

  /** Slots that the policy set aside in this request. */
  private final int[] aside;

  /** Blocks of this request that have a slot and are yet to be put. */
  private final int[] claimed;

  private int asideCount;
  private int claimedCount;
  private int used;
  private int now;
  private long hits;
  private long misses;
  private long notStored;
  private long evictions;

  /**
   * Nothing yet.
   *
   * @param policy made for {@code chunks} slots
   */
  SimulatedCache(NumberedBlocks blocks, int chunks, EvictionPolicy policy) {
    this.blocks = blocks;
    this.policy = policy;
    this.slots = new int[blocks.distinct()];
    this.residents = new int[chunks];
    this.heldBy = new int[chunks];
    this.aside = new int[chunks];
    this.claimed = new int[chunks];
    Arrays.fill(slots, NONE);
  }

  /** Replays all requests; for one call. */
  CacheCounts replay() {
    for (int i = 0; i < blocks.requests(); i++) {
      now = i + 1;
      request(blocks.request(i));
    }
    return new CacheCounts(hits, misses, notStored, evictions, used);
  }

  private void request(int[] prompt) {
    int prefix = 0;
    while (prefix < prompt.length && slots[prompt[prefix]] != NONE) {
      heldBy[slots[prompt[prefix++]]] = now;
    }
    hits += prefix;
    misses += prompt.length - prefix;
    for (int i = prefix - 1; i >= 0; i--) {
      policy.used(slots[prompt[i]]);
    }
    for (int i = prefix; i < prompt.length; i++) {
      claim(prompt[i]);
    }
    for (int i = 0; i < claimedCount; i++) {
      policy.added(slots[claimed[i]], blocks.keyHash(claimed[i]));
    }
    claimedCount = 0;
    while (asideCount > 0) {
      policy.restored(aside[--asideCount]);
    }
  }

  private void claim(int block) {
    if (slots[block] == NONE) {
      int slot = used < residents.length ? used++ : evict();
      if (slot == NONE) {
        notStored++;
        return;
      }
      slots[block] = slot;
      residents[slot] = block;
      claimed[claimedCount++] = block;
    }
    heldBy[slots[block]] = now;
  }

  private int evict() {
    int victim = policy.victim(mayGo);
    if (victim < 0) {
      return NONE;
    }
    policy.removed(victim);
    slots[residents[victim]] = NONE;
    evictions++;
    return victim;
  }

  private boolean mayGo(int slot) {
    if (heldBy[slot] != now) {
      return true;
    }
    aside[asideCount++] = slot;
    return false;
  }
}
