package io.kvmesh.common.zmq;

/**
 * For how long somebody has said nothing while others waited: the time in which nobody waited
 * doesn't count, and that in which several did counts once. Not safe for several threads.
 */
public final class Silence {

  private long heardNanos;
  private long countedUntilNanos;
  private long nanos;

  /** Begins now. */
  public Silence(long nowNanos) {
    heard(nowNanos);
  }

  /** There was a word. */
  public void heard(long nowNanos) {
    heardNanos = nowNanos;
    countedUntilNanos = nowNanos;
    nanos = 0;
  }

  /** Somebody has waited in vain; answers how long the silence is in all since the last word. */
  public long waited(long sinceNanos, long nowNanos) {
    long uncounted = nowNanos - later(sinceNanos, countedUntilNanos);
    if (uncounted > 0) {
      nanos += uncounted;
      countedUntilNanos = nowNanos;
    }
    return Math.max(nanos, nowNanos - later(sinceNanos, heardNanos));
  }

  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }
}
