package io.kvmesh.benchmarks.front;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * The mix at a fixed rate: each message has its time, whether or not the ones before it were
 * answered, and a lookup's latency begins at that time. Belongs to the population's thread.
 */
final class Load {

  private static final long PAUSE_NANOS = 100_000;
  private static final long ANSWERS_NANOS = 30_000_000_000L;
  private static final int SENT_A_TURN = 16;

  /** Who is so far behind the times of the messages won't catch up. */
  private static final long HOPELESS_NANOS = 2_000_000_000L;

  private final Population population;
  private long[] latencies = new long[1024];
  private int answers;

  Load(Population population) {
    this.population = population;
  }

  /**
   * What came of a rate.
   *
   * @param lookupNanos from a lookup's time to its answer, ascending
   * @param backlogNanos from the time of the last message to the last answer
   */
  record Outcome(long[] lookupNanos, long backlogNanos) {}

  /** Whether a step is to end before its time. */
  interface Abort {
    boolean now();
  }

  /**
   * Says the messages of so many seconds, and waits for the answers.
   *
   * @param rate keys a second: a batch has 100, a lookup has 100
   */
  Outcome run(double rate, double seconds, Abort abort) throws IOException {
    answers = 0;
    double nanosBetween = Population.KEYS_A_MESSAGE / rate * 1e9;
    long messages = (long) (seconds * 1e9 / nanosBetween);
    long begin = System.nanoTime();
    long said = 0;
    long due = begin;
    while (said < messages && System.nanoTime() - due < HOPELESS_NANOS && !abort.now()) {
      said = sayDue(said, messages, begin, nanosBetween);
      due = begin + (long) (said * nanosBetween);
      if (!population.turn()) {
        pause(due);
      }
    }
    finish();
    long backlog = System.nanoTime() - due;
    long[] sorted = Arrays.copyOf(latencies, answers);
    Arrays.sort(sorted);
    return new Outcome(sorted, backlog);
  }

  private long sayDue(long said, long messages, long begin, double nanosBetween)
      throws IOException {
    long next = said;
    for (int i = 0; i < SENT_A_TURN && next < messages; i++) {
      long due = begin + (long) (next * nanosBetween);
      if (System.nanoTime() - due < 0) {
        return next;
      }
      population.say(found -> note(System.nanoTime() - due));
      next++;
    }
    return next;
  }

  private void note(long nanos) {
    if (answers == latencies.length) {
      latencies = Arrays.copyOf(latencies, 2 * answers);
    }
    latencies[answers++] = nanos;
  }

  private static void pause(long dueNanos) {
    long nanos = Math.min(PAUSE_NANOS, dueNanos - System.nanoTime());
    if (nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private void finish() {
    long end = System.nanoTime() + ANSWERS_NANOS;
    while (!population.isIdle()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("The controller doesn't answer");
      }
      if (!population.turn()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Asks for so many runs, some at a time, and waits for the answers.
   *
   * @return how many were not what the generator knows
   */
  int wrongLookups(int lookups) throws IOException {
    int[] wrong = new int[1];
    for (int asked = 0; asked < lookups; ) {
      for (int i = 0; i < SENT_A_TURN && asked < lookups; i++, asked++) {
        population.lookup(found -> wrong[0] += found ? 0 : 1);
      }
      finish();
    }
    return wrong[0];
  }
}
