package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.policy.PolicyName;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long a lookup of 64 keys takes while another thread stores, each store evicting one. The
 * baseline is a bare table under a lock of the same kind.
 */
@State(Scope.Benchmark)
public class ContendedRounds extends Rounds {

  private static final int CHUNKS = 1_000_000;
  private static final int BLOCKS = 20;

  /** Those that the writer may evict while a block is looked up aren't asked for. */
  private static final int SOON_EVICTED = 200_000;

  /** Nanoseconds a lookup, and a store of the other thread. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public double aloneP50;
    public double aloneP99;
    public double besideP50;
    public double besideP99;
    public double besideMost;
    public double store;
    public double bareP50;
    public double bareP99;
    public double bareMost;
    public double bareStore;
  }

  private final FullCache full = new FullCache(CHUNKS, PolicyName.LRU);
  private final BareCache bare = new BareCache(CHUNKS);
  private final ReentrantLock bareLock = new ReentrantLock();
  private final RequestBlock block = new RequestBlock(1);
  private final Partner partner = new Partner();
  private final long[] latencies = new long[BLOCKS * RequestBlock.REQUESTS];
  private volatile long stored = CHUNKS;
  private volatile long bareStored = CHUNKS;
  private volatile boolean stop;

  @Benchmark
  public void round(Nanos nanos) throws InterruptedException {
    lookUpAll();
    nanos.aloneP50 = percentile(50);
    nanos.aloneP99 = percentile(99);
    nanos.store = beside(this::lookUpAll, this::store);
    nanos.besideP50 = percentile(50);
    nanos.besideP99 = percentile(99);
    nanos.besideMost = percentile(100);
    nanos.bareStore = beside(this::lookUpAllBare, this::storeBare);
    nanos.bareP50 = percentile(50);
    nanos.bareP99 = percentile(99);
    nanos.bareMost = percentile(100);
  }

  /** Nanoseconds a store. */
  private double beside(Runnable lookUps, Runnable store) throws InterruptedException {
    long before = stored + bareStored;
    stop = false;
    long nanos =
        partner.together(
            () -> {
              lookUps.run();
              stop = true;
            },
            () -> {
              while (!stop) {
                store.run();
              }
            });
    return (double) nanos / Math.max(1, stored + bareStored - before);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread stores
  private void store() {
    full.store(ChunkNumbers.key(ChunkNumbers.hash(stored)));
    stored++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread stores
  private void storeBare() {
    long hash = ChunkNumbers.hash(bareStored);
    bareLock.lock();
    try {
      bare.store(hash);
    } finally {
      bareLock.unlock();
    }
    bareStored++;
  }

  private void lookUpAll() {
    for (int b = 0; b < BLOCKS; b++) {
      block.draw(stored - CHUNKS + SOON_EVICTED, stored);
      for (int r = 0; r < RequestBlock.REQUESTS; r++) {
        long begin = System.nanoTime();
        ChunkLease lease = block.lease(full.cache(), r);
        latencies[b * RequestBlock.REQUESTS + r] = System.nanoTime() - begin;
        lease.close();
      }
    }
  }

  private void lookUpAllBare() {
    for (int b = 0; b < BLOCKS; b++) {
      block.draw(bareStored - CHUNKS + SOON_EVICTED, bareStored);
      for (int r = 0; r < RequestBlock.REQUESTS; r++) {
        long begin = System.nanoTime();
        bareLock.lock();
        try {
          block.probe(bare.table(), r);
        } finally {
          bareLock.unlock();
        }
        latencies[b * RequestBlock.REQUESTS + r] = System.nanoTime() - begin;
      }
    }
  }

  private double percentile(int percent) {
    Arrays.sort(latencies);
    return latencies[(latencies.length - 1) * percent / 100];
  }

  @TearDown
  public void close() {
    partner.close();
    full.close();
  }
}
