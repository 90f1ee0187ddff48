package io.kvmesh.agent.cache.policy;

/** A set of small numbers whose lowest member is found at once: two levels of 64-bit words. */
final class LevelBits {

  static final int MAX = Long.SIZE * Long.SIZE;

  private final long[] words = new long[Long.SIZE];
  private long nonEmptyWords;

  void set(int level) {
    words[level / Long.SIZE] |= 1L << level;
    nonEmptyWords |= 1L << (level / Long.SIZE);
  }

  void clear(int level) {
    int word = level / Long.SIZE;
    words[word] &= ~(1L << level);
    if (words[word] == 0) {
      nonEmptyWords &= ~(1L << word);
    }
  }

  /** The lowest member, or −1 if there is none. */
  int lowest() {
    if (nonEmptyWords == 0) {
      return -1;
    }
    int word = Long.numberOfTrailingZeros(nonEmptyWords);
    return word * Long.SIZE + Long.numberOfTrailingZeros(words[word]);
  }
}
