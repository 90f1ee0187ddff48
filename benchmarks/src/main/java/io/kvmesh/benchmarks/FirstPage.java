package io.kvmesh.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How long it takes until one small chunk is here, one at a time, on a connection that is warm. */
final class FirstPage {

  private static final int CHUNK_BYTES = 64 << 10;
  private static final int WARM_UP = 10_000;
  private static final int PULLS = 1000;

  private FirstPage() {}

  /** Measures and prints. */
  static void run() throws Exception {
    System.out.printf(
        "1 chunk of %d KiB a pull, %d pulls each, taking turns%n", CHUNK_BYTES >> 10, PULLS);
    try (ScratchDirectory shared = ScratchDirectory.inSharedMemory();
        Contender bare = new RoundTrip(CHUNK_BYTES);
        Contender zmq = new AgentPull("zmq", 1, CHUNK_BYTES, AgentEnd.Way.ZMQ);
        Contender shm = new AgentPull("shm", 1, CHUNK_BYTES, AgentEnd.Way.shm(shared.path()));
        Contender sealed = new AgentPull("zmq, sealed", 1, CHUNK_BYTES, AgentEnd.Way.sealed())) {
      List<Contender> contenders = List.of(bare, zmq, shm, sealed);
      long[][] nanos = new long[contenders.size()][PULLS];
      for (int pull = -WARM_UP; pull < PULLS; pull++) {
        for (int i = 0; i < contenders.size(); i++) {
          long taken = nanosOf(contenders.get(i));
          if (pull >= 0) {
            nanos[i][pull] = taken;
          }
        }
      }
      print(contenders, nanos);
    }
  }

  private static long nanosOf(Contender contender) throws Exception {
    contender.reset();
    long begin = System.nanoTime();
    contender.pull();
    return System.nanoTime() - begin;
  }

  private static void print(List<Contender> contenders, long[][] nanos) {
    System.out.printf("%-36s %8s %8s  us%n", "", "p50", "p99");
    for (int i = 0; i < contenders.size(); i++) {
      Arrays.sort(nanos[i]);
      System.out.printf(
          Locale.ROOT,
          "%-36s %8.0f %8.0f%n",
          contenders.get(i).name(),
          nanos[i][PULLS / 2] / 1e3,
          nanos[i][PULLS * 99 / 100] / 1e3);
    }
  }
}
