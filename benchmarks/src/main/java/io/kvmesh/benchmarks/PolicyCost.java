package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.common.key.PlacementDigest;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a policy alone costs at a full cache: nanoseconds a use of a random chunk, and nanoseconds a
 * chunk that is put and evicts another. {@code lru} is the bare baseline of the others.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PolicyCost {

  @Param({"LRU", "FIFO", "LFU", "MRU", "S3FIFO", "ADAPTIVE"})
  PolicyName policy = PolicyName.LRU;

  @Param({"10000", "1000000"})
  int chunks;

  private EvictionPolicy order = policy.create(1);
  private SplittableRandom random = new SplittableRandom(42);

  /** A full cache whose chunks were used about once. */
  @Setup(Level.Iteration)
  public void fill() {
    order = policy.create(chunks);
    random = new SplittableRandom(42);
    for (int slot = 0; slot < chunks; slot++) {
      order.added(slot, keyHash());
    }
    for (int i = 0; i < chunks; i++) {
      order.used(random.nextInt(chunks));
    }
  }

  /** Keys come back now and then, so that those remembered are found. */
  private long keyHash() {
    return PlacementDigest.mix(0, random.nextInt(4 * chunks));
  }

  /** A local read of one chunk. */
  @Benchmark
  public void use() {
    order.used(random.nextInt(chunks));
  }

  /** A store of one chunk. */
  @Benchmark
  public int putWithEviction() {
    int victim = order.victim(PolicyCost::mayGo);
    order.removed(victim);
    order.added(victim, keyHash());
    return victim;
  }

  private static boolean mayGo(int slot) {
    return true;
  }
}
