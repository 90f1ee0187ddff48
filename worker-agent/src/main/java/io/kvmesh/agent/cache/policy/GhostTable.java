package io.kvmesh.agent.cache.policy;

/**
 * Remembers which keys were added last, without keeping them: the last {@code capacity} of them,
 * each in 4 bytes. Of keys that were never added, or long ago, one in some thousands seems to be
 * there.
 *
 * <pre>
 *   entry   31..16 tag, a part of the key's hash, never 0 | 15..0 time, in units of the clock
 *   bucket  8 entries side by side
 * </pre>
 *
 * <p>A key has two buckets, and goes to that which has more room: so hardly any bucket is ever
 * full, and all keys are forgotten at the same age. It matters, since chunks of one prefix are of
 * use only together.
 */
final class GhostTable {

  private static final int WAYS = 8;
  private static final int TIME_BITS = 16;
  private static final int TIME_MASK = (1 << TIME_BITS) - 1;
  private static final int SPREAD = 0x5bd1e995;

  /** A capacity is told in at least so many units, and in less than twice as many. */
  private static final int UNITS = 1 << 12;

  private final int[] entries;
  private final int bucketMask;
  private final int unitShift;
  private final int oldestAge;
  private long added;

  /** Nothing yet; at most three quarters of the entries are in use at a time. */
  GhostTable(int capacity) {
    long roomy = (long) capacity * 4 / 3;
    int buckets = (int) Math.max(2, Long.highestOneBit(roomy / WAYS) * 2);
    bucketMask = buckets - 1;
    entries = new int[Math.multiplyExact(buckets, WAYS)];
    unitShift =
        Math.max(0, Integer.numberOfLeadingZeros(UNITS) - Integer.numberOfLeadingZeros(capacity));
    oldestAge = capacity >> unitShift;
  }

  /** Remembers a key by its well-mixed hash. */
  void add(long hash) {
    int bucket = bucket(hash);
    int other = otherBucket(bucket, hash);
    int roomier = remembered(bucket) <= remembered(other) ? bucket : other;
    entries[oldest(roomier)] = tag(hash) << TIME_BITS | now();
    added++;
  }

  /** Forgets a key; answers whether it was remembered. */
  boolean remove(long hash) {
    int bucket = bucket(hash);
    return remove(bucket, tag(hash)) || remove(otherBucket(bucket, hash), tag(hash));
  }

  private boolean remove(int bucket, int tag) {
    for (int i = bucket; i < bucket + WAYS; i++) {
      if (entries[i] >>> TIME_BITS == tag && isRemembered(entries[i])) {
        entries[i] = 0;
        return true;
      }
    }
    return false;
  }

  private int remembered(int bucket) {
    int count = 0;
    for (int i = bucket; i < bucket + WAYS; i++) {
      count += isRemembered(entries[i]) ? 1 : 0;
    }
    return count;
  }

  /** An empty or else the oldest entry of a bucket. */
  private int oldest(int bucket) {
    int oldest = bucket;
    for (int i = bucket; i < bucket + WAYS; i++) {
      if (entries[i] == 0) {
        return i;
      }
      if (age(entries[i]) > age(entries[oldest])) {
        oldest = i;
      }
    }
    return oldest;
  }

  private boolean isRemembered(int entry) {
    return entry != 0 && age(entry) <= oldestAge;
  }

  private int bucket(long hash) {
    return ((int) (hash >>> Integer.SIZE) & bucketMask) * WAYS;
  }

  private int otherBucket(int bucket, long hash) {
    int distance = ((tag(hash) * SPREAD) >>> TIME_BITS) | 1;
    return ((bucket / WAYS) ^ (distance & bucketMask)) * WAYS;
  }

  private static int tag(long hash) {
    return Math.max(1, (int) (hash >>> TIME_BITS) & TIME_MASK);
  }

  private int now() {
    return (int) (added >>> unitShift) & TIME_MASK;
  }

  private int age(int entry) {
    return now() - entry & TIME_MASK;
  }
}
