package io.kvmesh.benchmarks.cache;

import com.sun.management.ThreadMXBean;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.policy.PolicyName;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Stores into a full cache, each evicting one, bodies not copied: 64 chunks a request and lease,
 * claimed and committed one by one or all at once. The keys are made before, as an engine's are,
 * and don't count as garbage.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // setUp
public class StoreRounds extends Rounds {

  static final int BATCH = 64;
  private static final int BATCHES = 32;
  private static final int BLOCKS = 12;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** A store. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Figures {
    public double oneNanos;
    public double oneGarbageBytes;
    public double batchNanos;
    public double batchGarbageBytes;
    public double bareNanos;
  }

  @Param({"10000", "100000", "1000000"})
  int chunks;

  private FullCache full;
  private BareCache bare;
  private final List<List<ChunkSpec>> batches = new ArrayList<>();
  private long number;

  @Setup
  public void setUp() {
    full = new FullCache(chunks, PolicyName.LRU);
    bare = new BareCache(chunks);
    number = chunks;
  }

  @Benchmark
  public void round(Figures figures) throws InterruptedException {
    double stores = BATCH * BATCHES * BLOCKS;
    for (int i = 0; i < BLOCKS; i++) {
      draw();
      figures.bareNanos += nanosOf(this::storeBare) / stores;
      long garbage = THREADS.getCurrentThreadAllocatedBytes();
      figures.oneNanos += nanosOf(this::storeEach) / stores;
      figures.oneGarbageBytes += (THREADS.getCurrentThreadAllocatedBytes() - garbage) / stores;
      draw();
      garbage = THREADS.getCurrentThreadAllocatedBytes();
      long begin = System.nanoTime();
      storeBatches();
      figures.batchNanos += (System.nanoTime() - begin) / stores;
      figures.batchGarbageBytes += (THREADS.getCurrentThreadAllocatedBytes() - garbage) / stores;
    }
  }

  private void draw() {
    batches.clear();
    for (int b = 0; b < BATCHES; b++) {
      ChunkSpec[] batch = new ChunkSpec[BATCH];
      for (int i = 0; i < BATCH; i++) {
        batch[i] = FullCache.spec(ChunkNumbers.hash(number++));
      }
      batches.add(List.of(batch));
    }
  }

  private void storeEach() {
    for (int b = 0; b < BATCHES; b++) {
      storeEach(batches.get(b));
    }
  }

  private void storeEach(List<ChunkSpec> request) {
    try (ChunkLease lease = full.cache().newLease()) {
      for (int i = 0; i < BATCH; i++) {
        full.commit(full.claim(request.get(i).key(), lease), lease);
      }
    }
  }

  private void storeBatches() throws InterruptedException {
    for (int b = 0; b < BATCHES; b++) {
      full.store(batches.get(b));
    }
  }

  private void storeBare() {
    for (int b = 0; b < BATCHES; b++) {
      for (int i = 0; i < BATCH; i++) {
        bare.store(batches.get(b).get(i).key().hash().bits());
      }
    }
  }

  @TearDown
  public void close() {
    full.close();
  }
}
