package io.kvmesh.agent.cache.policy;

import java.util.Arrays;

/**
 * Finds out which share of newcomers serves the present traffic best: a shadow cache for each
 * candidate sees the same sample of the keys, and is made as much smaller than the cache as the
 * sample is smaller than the traffic. Hits count less the longer ago they were.
 *
 * <p>After "Cache modeling and optimization using miniature simulations" (Waldspurger, Saemundsson,
 * Ahmad and Park, USENIX ATC 2017).
 */
final class ShareContest {

  /** Least recently used, as a share. */
  static final double ALL = 1;

  /** The first is what is used until there is reason for another. */
  private static final double[] SHARES = {0.4, 0.1, 0.7, ALL};

  /** A shadow has at most so many slots, and, where the cache allows it, more than half of it. */
  private static final int MOST_SLOTS = 384;

  /** At least a quarter of the traffic isn't looked at twice: 2 bits of the hash. */
  private static final int LEAST_SAMPLE_BITS = 2;

  /** After so many times a shadow's slots, in keys of the sample, a hit counts half. */
  private static final double HALF_LIFE = 16;

  /** A challenger must be better by so much: changing with every hit would serve nobody. */
  private static final double MARGIN = 1.01;

  private final ShadowCache[] shadows = new ShadowCache[SHARES.length];
  private final double[] scores = new double[SHARES.length];
  private final long sampleMask;
  private final double growth;
  private double weight = 1;
  private int best;

  ShareContest(int size) {
    int bits = LEAST_SAMPLE_BITS;
    while (size >> bits > MOST_SLOTS) {
      bits++;
    }
    int shadowSlots = Math.max(1, size >> bits);
    sampleMask = (1L << bits) - 1;
    growth = Math.pow(2, 1 / (HALF_LIFE * shadowSlots));
    Arrays.setAll(
        shadows,
        i -> new ShadowCache(shadowSlots, new ReuseOrder(shadowSlots, shadowSlots, SHARES[i])));
  }

  /** Whether the key is one of the sample. */
  boolean isSampled(long keyHash) {
    return (keyHash & sampleMask) == 0;
  }

  /** A key of the sample was used or put. */
  void refer(long keyHash) {
    weight *= growth;
    if (weight > 1e100) {
      scaleDown();
    }
    for (int i = 0; i < shadows.length; i++) {
      if (shadows[i].refer(keyHash)) {
        scores[i] += weight;
      }
    }
    int leader = leader();
    if (scores[leader] > MARGIN * scores[best]) {
      best = leader;
    }
  }

  private int leader() {
    int leader = best;
    for (int i = 0; i < scores.length; i++) {
      if (scores[i] > scores[leader]) {
        leader = i;
      }
    }
    return leader;
  }

  private void scaleDown() {
    for (int i = 0; i < scores.length; i++) {
      scores[i] /= weight;
    }
    weight = 1;
  }

  /** The share that has served best lately. */
  double bestShare() {
    return SHARES[best];
  }
}
