package io.kvmesh.benchmarks.front;

import java.io.IOException;
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

  /** The yardstick is asked with every so many messages. */
  private static final int ECHO_EVERY = 20;

  private final Population population;
  private final EchoClient echo;

  /**
   * @param echo is asked beside the controller
   */
  Load(Population population, EchoClient echo) {
    this.population = population;
    this.echo = echo;
  }

  /**
   * What came of a rate.
   *
   * @param lookups from the time of each to its answer
   * @param bare the same of the yardstick
   * @param backlogNanos from the time of the last message to the last answer
   */
  record Outcome(Latencies lookups, Latencies bare, long backlogNanos) {}

  /** The messages of one step. */
  private record Schedule(long beginNanos, double nanosBetween, long messages) {

    static Schedule of(double rate, double seconds) {
      double nanosBetween = Population.KEYS_A_MESSAGE / rate * 1e9;
      return new Schedule(System.nanoTime(), nanosBetween, (long) (seconds * 1e9 / nanosBetween));
    }

    long due(long message) {
      return beginNanos + (long) (message * nanosBetween);
    }
  }

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
    Schedule schedule = Schedule.of(rate, seconds);
    Latencies lookups = new Latencies();
    Latencies bare = new Latencies();
    long said = 0;
    while (said < schedule.messages()
        && System.nanoTime() - schedule.due(said) < HOPELESS_NANOS
        && !abort.now()) {
      said = sayDue(said, schedule, lookups);
      if (!turn(bare)) {
        pause(schedule.due(said));
      }
    }
    finish(bare);
    return new Outcome(lookups, bare, System.nanoTime() - schedule.due(said));
  }

  /** Says what is due; the number of the next message. */
  private long sayDue(long from, Schedule schedule, Latencies lookups) throws IOException {
    long next = from;
    while (next < Math.min(from + SENT_A_TURN, schedule.messages())) {
      long due = schedule.due(next);
      if (System.nanoTime() - due < 0) {
        return next;
      }
      population.say(found -> lookups.add(System.nanoTime() - due));
      if (next % ECHO_EVERY == 0) {
        echo.ask(due);
      }
      next++;
    }
    return next;
  }

  private boolean turn(Latencies bare) {
    boolean any = population.turn();
    return echo.turn(bare) || any;
  }

  private static void pause(long dueNanos) {
    long nanos = Math.min(PAUSE_NANOS, dueNanos - System.nanoTime());
    if (nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private void finish(Latencies bare) {
    long end = System.nanoTime() + ANSWERS_NANOS;
    while (!population.isIdle() || !echo.isIdle()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "The controller doesn't answer: " + population.left() + "; echo idle " + echo.isIdle());
      }
      if (!turn(bare)) {
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
      finish(new Latencies());
    }
    return wrong[0];
  }
}
