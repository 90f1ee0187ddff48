package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a full cache of a million keeps on the heap, and how long it takes to clear it. */
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
public class RecordRounds extends Rounds {

  private static final int CHUNKS = 1_000_000;

  /** Of all. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Figures {
    public double bytes;
    public double bareBytes;
    public double clearNanos;
  }

  @Param PolicyName policy = PolicyName.LRU;

  /** What is measured is reachable from here. */
  Object kept = this;

  @Benchmark
  public void round(Figures figures) {
    figures.bareBytes = heapBytesOf(() -> new BareCache(CHUNKS)) / CHUNKS;
    figures.bytes = heapBytesOf(() -> new FullCache(CHUNKS, policy)) / CHUNKS;
    try (FullCache full = (FullCache) kept) {
      figures.clearNanos = nanosOf(full.cache()::clear);
    }
  }

  private double heapBytesOf(Supplier<Object> made) {
    kept = this;
    long before = usedBytes();
    kept = made.get();
    return usedBytes() - before;
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
