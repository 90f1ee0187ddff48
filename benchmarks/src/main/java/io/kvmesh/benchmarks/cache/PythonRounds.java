package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Requests as a serving engine makes them: the prefix of 64 chunks is looked up, held, used and let
 * go, then 64 new chunks are stored, each evicting the least recently used. The same requests with
 * the same keys go to an OrderedDict under a lock in Python.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // setUp
public class PythonRounds extends Rounds {

  private static final int CHUNKS = 1_000_000;
  private static final int REQUESTS = 16;
  private static final int KEYS = 64;
  private static final int BLOCKS = 40;

  /** Nanoseconds a request. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public double cache;
    public double python;
  }

  private final SplittableRandom random = new SplittableRandom(1);
  private final FullCache full = new FullCache(CHUNKS, PolicyName.LRU);
  private OrderedDict python;
  private long number = CHUNKS;
  private int found;

  @Setup
  public void setUp() throws IOException {
    python = new OrderedDict();
    python.fill(LongStream.range(0, CHUNKS).map(ChunkNumbers::hash).toArray());
  }

  @Benchmark
  public void round(Nanos nanos) throws IOException, InterruptedException {
    double requests = REQUESTS * BLOCKS;
    for (int b = 0; b < BLOCKS; b++) {
      long[] lookedUp =
          random
              .longs(REQUESTS * KEYS, number - CHUNKS / 2, number)
              .map(ChunkNumbers::hash)
              .toArray();
      long[] stored =
          LongStream.range(number, number + REQUESTS * KEYS).map(ChunkNumbers::hash).toArray();
      number += stored.length;
      nanos.cache += replay(lookedUp, stored) / requests;
      OrderedDict.Answer answer = python.replay(KEYS, lookedUp, stored);
      nanos.python += answer.nanos() / requests;
      if (answer.found() != found || found == 0) {
        throw new IllegalStateException(
            "The cache found %d chunks, the dict %d".formatted(found, answer.found()));
      }
    }
  }

  private long replay(long[] lookedUp, long[] stored) throws InterruptedException {
    List<List<ChunkSpec>> prompts = requests(lookedUp);
    List<List<ChunkSpec>> added = requests(stored);
    List<List<ChunkKey>> keys =
        prompts.stream().map(prompt -> prompt.stream().map(ChunkSpec::key).toList()).toList();
    found = 0;
    long begin = System.nanoTime();
    for (int r = 0; r < REQUESTS; r++) {
      try (ChunkLease lease = full.cache().leasePrefix(keys.get(r))) {
        full.cache().touch(lease, lease.size());
        found += lease.size();
      }
      full.store(added.get(r));
    }
    return System.nanoTime() - begin;
  }

  private static List<List<ChunkSpec>> requests(long[] hashes) {
    return IntStream.range(0, REQUESTS)
        .mapToObj(
            r ->
                IntStream.range(r * KEYS, (r + 1) * KEYS)
                    .mapToObj(i -> FullCache.spec(hashes[i]))
                    .toList())
        .toList();
  }

  @TearDown
  public void close() {
    python.close();
    full.close();
  }
}
