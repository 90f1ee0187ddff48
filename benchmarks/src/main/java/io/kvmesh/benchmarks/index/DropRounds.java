package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.figures.Samples;

/** A worker that holds many chunks goes down: out of all answers at once, swept afterwards. */
final class DropRounds {

  private final FilledIndex filled;

  /** Nanoseconds of each round. */
  record Nanos(Samples drop, Samples sweep, Samples longestStep) {}

  DropRounds(FilledIndex filled) {
    this.filled = filled;
  }

  /** Drops one worker after the other; each has to be there. */
  Nanos measure(int rounds) {
    double[] drop = new double[rounds];
    double[] sweep = new double[rounds];
    double[] longest = new double[rounds];
    for (int worker = 0; worker < rounds; worker++) {
      int dropped = worker;
      requireHeld(dropped, true);
      drop[worker] = ApplyRounds.nanosOf(() -> filled.apply(filled.fleet().down(dropped)));
      requireHeld(dropped, false);
      boolean more = true;
      while (more) {
        long begin = System.nanoTime();
        more = filled.index().sweep();
        double pause = System.nanoTime() - begin;
        sweep[worker] += pause;
        longest[worker] = Math.max(longest[worker], pause);
      }
      filled.fillAnew(dropped);
    }
    return new Nanos(new Samples(drop), new Samples(sweep), new Samples(longest));
  }

  private void requireHeld(int worker, boolean held) {
    for (int number = 0; number < filled.chunksEach(); number += 97) {
      long hash = Fleet.hash(worker, number);
      if (filled.index().holders(Fleet.KEYSPACE, hash).isEmpty() == held) {
        throw new IllegalStateException("Chunk %d of worker %d".formatted(number, worker));
      }
    }
  }
}
