package io.kvmesh.benchmarks.cache;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark in rounds of some 50 ms. In each round the measured and its baseline take turns, a
 * block of a millisecond or so at a time, so that what else the machine does meets both. The
 * figures of a round are auxiliary counters.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 12)
@Measurement(iterations = 15)
public abstract class Rounds {

  /** How long the work takes. */
  static long nanosOf(Runnable work) {
    long begin = System.nanoTime();
    work.run();
    return System.nanoTime() - begin;
  }
}
