package io.kvmesh.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * How fast one agent pulls chunks from another over each channel, as a share of what a plain socket
 * or a plain copy moves on the same machine in the same run. All take turns, so that what else the
 * machine does meets each of them.
 */
final class PullBandwidth {

  private static final int MIB = 1 << 20;
  private static final int CHUNKS = 32;
  private static final long BYTES_PER_SAMPLE = 512L * MIB;

  /** The compilers take processor time for so long. */
  private static final int WARM_UP = 20;

  private static final int SAMPLES = 9;

  private final int chunkBytes;
  private final int pullsPerSample;

  private PullBandwidth(int chunkBytes) {
    this.chunkBytes = chunkBytes;
    this.pullsPerSample = Math.toIntExact(BYTES_PER_SAMPLE / CHUNKS / chunkBytes);
  }

  /** Measures and prints. */
  static void run() throws Exception {
    for (int mebibytes : new int[] {1, 4}) {
      new PullBandwidth(mebibytes * MIB).measure();
    }
  }

  private void measure() throws Exception {
    System.out.printf(
        "%d chunks of %d MiB a pull, %d pulls a sample, %d samples each, taking turns%n",
        CHUNKS, chunkBytes / MIB, pullsPerSample, SAMPLES);
    try (ScratchDirectory shared = ScratchDirectory.inSharedMemory();
        Contender nio = new NioPull(CHUNKS, chunkBytes);
        Contender copy = new CopyPull(CHUNKS, chunkBytes, shared.path());
        Contender checksum = new ChecksumPull(CHUNKS, chunkBytes);
        Contender zmq = agents("zmq", AgentEnd.Way.ZMQ);
        Contender shm = agents("shm", AgentEnd.Way.shm(shared.path()));
        Contender sealed = agents("zmq, sealed", AgentEnd.Way.sealed());
        Contender pyzmq = PyzmqPull.isPossible() ? new PyzmqPull(CHUNKS, chunkBytes) : null) {
      List<Contender> contenders =
          Stream.of(nio, copy, checksum, zmq, shm, sealed, pyzmq).filter(Objects::nonNull).toList();
      double[][] samples = sample(contenders);
      print(contenders, samples);
      share("zmq, of the plain socket", samples[3], samples[0]);
      share("shm, of the plain copy", samples[4], samples[1]);
      share("sealed, of zmq", samples[5], samples[3]);
      share("checksums' share of the time of zmq", samples[3], samples[2]);
      if (pyzmq != null) {
        share("zmq, of pyzmq", samples[3], samples[6]);
      }
    }
  }

  private Contender agents(String name, AgentEnd.Way way) throws Exception {
    return new AgentPull(name, CHUNKS, chunkBytes, way);
  }

  private double[][] sample(List<Contender> contenders) throws Exception {
    double[][] samples = new double[contenders.size()][SAMPLES];
    for (int round = -WARM_UP; round < SAMPLES; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        double gigabytes = sample(contenders.get(i));
        if (round >= 0) {
          samples[i][round] = gigabytes;
        }
      }
    }
    return samples;
  }

  /** Gigabytes a second over several pulls. */
  private double sample(Contender contender) throws Exception {
    long nanos = 0;
    for (int i = 0; i < pullsPerSample; i++) {
      contender.reset();
      long begin = System.nanoTime();
      contender.pull();
      nanos += System.nanoTime() - begin;
    }
    return (double) pullsPerSample * CHUNKS * chunkBytes / nanos;
  }

  private static void print(List<Contender> contenders, double[][] samples) {
    System.out.printf("%-36s %8s %8s %8s  GB/s%n", "", "median", "lowest", "highest");
    for (int i = 0; i < contenders.size(); i++) {
      line(contenders.get(i).name(), samples[i]);
    }
  }

  /** The ratios of the rounds. */
  private static void share(String what, double[] of, double[] to) {
    double[] ratios = new double[SAMPLES];
    Arrays.setAll(ratios, i -> of[i] / to[i]);
    line(what, ratios);
  }

  private static void line(String name, double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    System.out.printf(
        Locale.ROOT,
        "%-36s %8.2f %8.2f %8.2f%n",
        name,
        sorted[SAMPLES / 2],
        sorted[0],
        sorted[SAMPLES - 1]);
  }
}
