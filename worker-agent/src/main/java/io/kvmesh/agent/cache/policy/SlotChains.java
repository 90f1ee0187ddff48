package io.kvmesh.agent.cache.policy;

import java.util.Arrays;

/**
 * Doubly linked chains of slots, the links in an array by slot. A slot is in at most one chain; the
 * caller knows in which.
 */
final class SlotChains {

  static final int NONE = -1;

  /** links[2 * slot] is the slot before, links[2 * slot + 1] the one after. */
  private final int[] links;

  private final int[] first;
  private final int[] last;

  SlotChains(int slots, int chains) {
    links = new int[Math.multiplyExact(2, slots)];
    first = new int[chains];
    last = new int[chains];
    Arrays.fill(first, NONE);
    Arrays.fill(last, NONE);
  }

  int chains() {
    return first.length;
  }

  int first(int chain) {
    return first[chain];
  }

  int last(int chain) {
    return last[chain];
  }

  boolean isEmpty(int chain) {
    return first[chain] == NONE;
  }

  void append(int chain, int slot) {
    int before = last[chain];
    links[2 * slot] = before;
    links[2 * slot + 1] = NONE;
    last[chain] = slot;
    if (before == NONE) {
      first[chain] = slot;
    } else {
      links[2 * before + 1] = slot;
    }
  }

  void remove(int chain, int slot) {
    int before = links[2 * slot];
    int after = links[2 * slot + 1];
    if (before == NONE) {
      first[chain] = after;
    } else {
      links[2 * before + 1] = after;
    }
    if (after == NONE) {
      last[chain] = before;
    } else {
      links[2 * after] = before;
    }
  }
}
