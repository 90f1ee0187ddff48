package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.agent.transfer.PullOutcome;
import io.kvmesh.agent.transfer.PullSource;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * How much faster a prefix comes from two agents than from one, where the network of each is the
 * bottleneck: both are capped at the same rate. The two ways take turns.
 */
final class HolderScaling {

  private static final int CHUNKS = 32;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final long BYTES_PER_SECOND = 100_000_000;
  private static final int WARM_UP = 5;
  private static final int SAMPLES = 9;
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final List<ChunkKey> KEYS =
      LongStream.range(0, CHUNKS)
          .mapToObj(i -> new ChunkKey(AgentEnd.keyspace(), ChunkHash.ofUnsigned(i)))
          .toList();

  private HolderScaling() {}

  /** An agent that holds all chunks, behind a network of its own. */
  private static final class Owner implements AutoCloseable {
    private final AgentEnd agent;
    private final CappedPort init;
    private final CappedPort lookup;

    Owner(String host) throws IOException {
      agent = new AgentEnd("owner-" + host, CHUNKS, CHUNK_BYTES, AgentEnd.Way.ZMQ.at(host));
      for (int i = 0; i < CHUNKS; i++) {
        agent.store(KEYS.get(i), CHUNK_BYTES, (byte) i);
      }
      init = new CappedPort(host, port(agent.address()), BYTES_PER_SECOND);
      lookup = new CappedPort(host, port(agent.lookupAddress()), BYTES_PER_SECOND);
    }

    private static int port(String address) {
      return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    PullSource source() {
      return new PullSource(agent.address(), CHUNKS);
    }

    @Override
    public void close() throws IOException {
      init.close();
      lookup.close();
      agent.close();
    }
  }

  /** Measures and prints. */
  static void run() throws Exception {
    System.out.printf(
        "%d chunks of %d KiB a pull, each holder capped at %d MB/s, %d samples each, taking"
            + " turns%n",
        CHUNKS, CHUNK_BYTES >> 10, BYTES_PER_SECOND / 1_000_000, SAMPLES);
    try (Owner one = new Owner("127.0.0.2");
        Owner two = new Owner("127.0.0.3");
        AgentEnd requester = new AgentEnd("requester", CHUNKS, CHUNK_BYTES, AgentEnd.Way.ZMQ)) {
      List<PullSource> single = List.of(one.source());
      List<PullSource> both = List.of(one.source(), two.source());
      double[] ofOne = new double[SAMPLES];
      double[] ofTwo = new double[SAMPLES];
      for (int round = -WARM_UP; round < SAMPLES; round++) {
        double first = pull(requester, single);
        double second = pull(requester, both);
        if (round >= 0) {
          ofOne[round] = first;
          ofTwo[round] = second;
        }
      }
      System.out.printf("%-20s %8s %8s %8s  MB/s%n", "", "median", "lowest", "highest");
      double slow = print("one holder", ofOne);
      double fast = print("two holders", ofTwo);
      System.out.printf(Locale.ROOT, "two against one: %.2f%n", fast / slow);
    }
  }

  /** Megabytes a second. */
  private static double pull(AgentEnd requester, List<PullSource> sources)
      throws InterruptedException {
    requester.cache().clear();
    try (ChunkLease lease = requester.cache().newLease()) {
      long begin = System.nanoTime();
      PullOutcome outcome =
          requester.puller().pull(sources, KEYS, lease, Deadline.after(DEADLINE, System::nanoTime));
      long nanos = System.nanoTime() - begin;
      if (!outcome.equals(new PullOutcome.Hit(CHUNKS))) {
        throw new IllegalStateException("the pull ended with " + outcome);
      }
      return (double) CHUNKS * CHUNK_BYTES * 1000 / nanos;
    }
  }

  private static double print(String name, double[] samples) {
    Arrays.sort(samples);
    double median = samples[samples.length / 2];
    System.out.printf(
        Locale.ROOT,
        "%-20s %8.1f %8.1f %8.1f%n",
        name,
        median,
        samples[0],
        samples[samples.length - 1]);
    return median;
  }
}
