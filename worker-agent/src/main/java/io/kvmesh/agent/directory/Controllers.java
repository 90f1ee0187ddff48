package io.kvmesh.agent.directory;

import io.kvmesh.common.zmq.Silence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * In which order controllers are asked: the one that answered last, then the others in turn. One
 * that failed is passed over for a growing time. Silence is a failure once it is longer than a
 * controller may take to answer, whether one waited for so long or several did in sum. Any thread.
 */
final class Controllers {

  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final int MOST_DOUBLINGS = 20;

  private static final class State {
    private final Silence silence;
    private int failures;
    private long passOverUntil;

    private State(long nowNanos) {
      silence = new Silence(nowNanos);
    }
  }

  private final long patienceNanos;
  private final long mostPauseNanos;
  private final LongSupplier nanoTime;
  private final List<State> records = new ArrayList<>();
  private int preferred;

  /**
   * @param patience how long a controller may take to answer
   * @param mostPause for which one is passed over
   */
  Controllers(int count, Duration patience, Duration mostPause, LongSupplier nanoTime) {
    this.patienceNanos = patience.toNanos();
    this.mostPauseNanos = mostPause.toNanos();
    this.nanoTime = nanoTime;
    for (int i = 0; i < count; i++) {
      records.add(new State(nanoTime.getAsLong()));
    }
  }

  /** Those that may be asked now, best first. */
  synchronized List<Integer> inOrder() {
    long now = nanoTime.getAsLong();
    List<Integer> order = allFrom(preferred);
    order.removeIf(
        index -> records.get(index).failures > 0 && records.get(index).passOverUntil - now > 0);
    return order;
  }

  /** All, beginning with the {@code turn}-th, counted round and round. */
  synchronized List<Integer> allFrom(int turn) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      order.add(Math.floorMod(turn + i, records.size()));
    }
    return order;
  }

  synchronized void answered(int index) {
    records.get(index).failures = 0;
    records.get(index).silence.heard(nanoTime.getAsLong());
    if (records.get(preferred).failures > 0) {
      preferred = index;
    }
  }

  synchronized void failed(int index) {
    State it = records.get(index);
    long pause = FIRST_PAUSE_NANOS << Math.min(it.failures, MOST_DOUBLINGS);
    it.passOverUntil = nanoTime.getAsLong() + Math.min(pause, mostPauseNanos);
    it.failures++;
  }

  /** One waited for it in vain since then; answers whether that makes it fail. */
  synchronized boolean silent(int index, long sinceNanos) {
    long now = nanoTime.getAsLong();
    boolean failed =
        records.get(index).silence.waited(sinceNanos, now) >= patienceNanos
            || now - sinceNanos >= patienceNanos;
    if (failed) {
      failed(index);
    }
    return failed;
  }

  /** How many answered when they were asked last, or were never asked. */
  synchronized int notFailing() {
    return (int) records.stream().filter(it -> it.failures == 0).count();
  }
}
