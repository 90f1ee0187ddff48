package io.kvmesh.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How fast one agent pulls chunks from another, as a share of what a plain socket moves on the same
 * machine in the same run. The two take turns, so that what else the machine does meets both.
 */
final class PullBandwidth {

  private static final int CHUNKS = 32;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int PULLS_PER_SAMPLE = 16;

  /** The compilers take processor time for so long. */
  private static final int WARM_UP = 20;

  private static final int SAMPLES = 9;

  private PullBandwidth() {}

  /** Measures and prints. */
  static void run() throws Exception {
    System.out.printf(
        "%d chunks of %d KiB a pull, %d pulls a sample, %d samples each, taking turns%n",
        CHUNKS, CHUNK_BYTES >> 10, PULLS_PER_SAMPLE, SAMPLES);
    try (Contender nio = new NioPull(CHUNKS, CHUNK_BYTES);
        Contender agent = new AgentPull(CHUNKS, CHUNK_BYTES)) {
      List<Contender> contenders = List.of(nio, agent);
      double[][] samples = new double[contenders.size()][SAMPLES];
      for (int round = -WARM_UP; round < SAMPLES; round++) {
        for (int i = 0; i < contenders.size(); i++) {
          double gigabytes = sample(contenders.get(i));
          if (round >= 0) {
            samples[i][round] = gigabytes;
          }
        }
      }
      print(contenders, samples);
    }
  }

  /** Gigabytes a second over several pulls. */
  private static double sample(Contender contender) throws Exception {
    long nanos = 0;
    for (int i = 0; i < PULLS_PER_SAMPLE; i++) {
      contender.reset();
      long begin = System.nanoTime();
      contender.pull();
      nanos += System.nanoTime() - begin;
    }
    return (double) PULLS_PER_SAMPLE * CHUNKS * CHUNK_BYTES / nanos;
  }

  private static void print(List<Contender> contenders, double[][] samples) {
    System.out.printf("%-20s %8s %8s %8s  GB/s%n", "", "median", "lowest", "highest");
    for (int i = 0; i < contenders.size(); i++) {
      Arrays.sort(samples[i]);
      System.out.printf(
          Locale.ROOT,
          "%-20s %8.2f %8.2f %8.2f%n",
          contenders.get(i).name(),
          samples[i][SAMPLES / 2],
          samples[i][0],
          samples[i][SAMPLES - 1]);
    }
    System.out.printf(
        Locale.ROOT,
        "share of the plain socket: %.2f%n",
        samples[1][SAMPLES / 2] / samples[0][SAMPLES / 2]);
  }
}
