package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.ChunkKey;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long single calls take where nobody else wants the lock. As each holds it for all but its
 * first and last steps, this is how long others may have to wait for it.
 */
@State(Scope.Benchmark)
public class CallRounds extends Rounds {

  static final int SLICE_KEYS = 1_000;
  private static final int CHUNKS = 1_000_000;
  private static final int CALLS = 400;

  /** Median nanoseconds of a call; clock is that of two readings of the clock. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public double clock;
    public double lookup;
    public double lookupClose;
    public double claim;
    public double commit;
    public double close;
    public double batchClaim;
    public double batchCommit;
    public double batchClose;
    public double slice;
  }

  private final FullCache full = new FullCache(CHUNKS, PolicyName.LRU);
  private final RequestBlock block = new RequestBlock(1);
  private final long[][] samples = new long[4][CALLS];
  private long number = CHUNKS;
  private int nextSlot;

  @Benchmark
  public void round(Nanos nanos) throws InterruptedException {
    lookups(nanos);
    stores(nanos);
    batches(nanos);
    slices(nanos);
  }

  private void lookups(Nanos nanos) {
    for (int i = 0; i < CALLS; i++) {
      if (i % RequestBlock.REQUESTS == 0) {
        block.draw(number - CHUNKS, number);
      }
      long begin = System.nanoTime();
      long clock = System.nanoTime();
      ChunkLease lease = block.lease(full.cache(), i % RequestBlock.REQUESTS);
      long leased = System.nanoTime();
      lease.close();
      sample(i, clock - begin, leased - clock, System.nanoTime() - leased);
    }
    nanos.clock = median(0);
    nanos.lookup = median(1);
    nanos.lookupClose = median(2);
  }

  private void stores(Nanos nanos) {
    for (int i = 0; i < CALLS; i++) {
      ChunkKey key = ChunkNumbers.key(ChunkNumbers.hash(number++));
      ChunkLease lease = full.cache().newLease();
      long begin = System.nanoTime();
      PendingChunk chunk = full.claim(key, lease);
      long claimed = System.nanoTime();
      full.commit(chunk, lease);
      long committed = System.nanoTime();
      lease.close();
      sample(i, claimed - begin, committed - claimed, System.nanoTime() - committed);
    }
    nanos.claim = median(0);
    nanos.commit = median(1);
    nanos.close = median(2);
  }

  private void batches(Nanos nanos) throws InterruptedException {
    for (int i = 0; i < CALLS; i++) {
      long first = number;
      number += StoreRounds.BATCH;
      List<ChunkSpec> batch =
          LongStream.range(first, number)
              .mapToObj(n -> FullCache.spec(ChunkNumbers.hash(n)))
              .toList();
      ChunkLease lease = full.cache().newLease();
      long begin = System.nanoTime();
      List<PendingChunk> chunks = full.claim(batch, lease);
      long claimed = System.nanoTime();
      full.commit(chunks, lease);
      long committed = System.nanoTime();
      lease.close();
      sample(i, claimed - begin, committed - claimed, System.nanoTime() - committed);
    }
    nanos.batchClaim = median(0);
    nanos.batchCommit = median(1);
    nanos.batchClose = median(2);
  }

  private void slices(Nanos nanos) {
    for (int i = 0; i < CALLS; i++) {
      long begin = System.nanoTime();
      nextSlot = Math.max(0, full.cache().snapshots().slice(nextSlot, SLICE_KEYS, slice -> {}));
      sample(i, System.nanoTime() - begin);
    }
    nanos.slice = median(0);
  }

  private void sample(int index, long... nanos) {
    for (int i = 0; i < nanos.length; i++) {
      samples[i][index] = nanos[i];
    }
  }

  private double median(int call) {
    Arrays.sort(samples[call]);
    return samples[call][CALLS / 2];
  }

  @TearDown
  public void close() {
    full.close();
  }
}
