package io.kvmesh.agent.cache.policy;

/**
 * S3-FIFO: the queue of newcomers is small, and one use is enough to leave it for the main queue.
 * There a used entry gets another round for each use, three at most. Neither queue changes its
 * order on a use.
 *
 * <p>After Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction",
 * SOSP 2023.
 */
final class S3FifoPolicy extends TwoQueuePolicy {

  static final int MOST_USES = 3;

  /** The small queue's share of the cache is one in so many. */
  static final int SMALL_SHARE = 10;

  private static final int USES_TO_STAY = 1;

  S3FifoPolicy(int slots, int size) {
    super(slots, size, size / SMALL_SHARE, USES_TO_STAY, MOST_USES);
  }

  @Override
  boolean staysForAnotherRound(int slot) {
    if (uses[slot] == 0) {
      return false;
    }
    uses[slot]--;
    return true;
  }
}
