package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Lookups of 64 keys in a million, beside the same probes of a bare table. */
@State(Scope.Benchmark)
public class LookupRounds extends Rounds {

  private static final int CHUNKS = 1_000_000;
  private static final int BLOCKS = 20;

  /** Nanoseconds a request. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public double lease;
    public double close;
    public double probe;
    public double leaseAndCloseOfTwo;
    public double probeOfTwo;
    public double lockedProbe;
    public double lockedProbeOfTwo;
  }

  private final FullCache full = new FullCache(CHUNKS, PolicyName.LRU);
  private final BareTable table = new BareCache(CHUNKS).table();
  private final ReentrantLock lock = new ReentrantLock();
  private final RequestBlock mine = new RequestBlock(1);
  private final RequestBlock others = new RequestBlock(2);
  private final Partner partner = new Partner();

  @Benchmark
  public void round(Nanos nanos) throws InterruptedException {
    for (int i = 0; i < BLOCKS; i++) {
      alone(nanos);
      together(nanos);
    }
  }

  private void alone(Nanos nanos) {
    double requests = RequestBlock.REQUESTS * BLOCKS;
    mine.draw(0, CHUNKS);
    nanos.lease += nanosOf(() -> mine.lease(full.cache())) / requests;
    nanos.close += nanosOf(mine::close) / requests;
    mine.draw(0, CHUNKS);
    nanos.probe += nanosOf(() -> mine.probe(table)) / requests;
    mine.draw(0, CHUNKS);
    nanos.lockedProbe += nanosOf(() -> probeLocked(mine)) / requests;
  }

  private void together(Nanos nanos) throws InterruptedException {
    double requests = 2 * RequestBlock.REQUESTS * BLOCKS;
    mine.draw(0, CHUNKS);
    others.draw(0, CHUNKS);
    nanos.leaseAndCloseOfTwo +=
        partner.together(() -> leaseAndClose(mine), () -> leaseAndClose(others)) / requests;
    mine.draw(0, CHUNKS);
    others.draw(0, CHUNKS);
    nanos.lockedProbeOfTwo +=
        partner.together(() -> probeLocked(mine), () -> probeLocked(others)) / requests;
    mine.draw(0, CHUNKS);
    others.draw(0, CHUNKS);
    nanos.probeOfTwo +=
        partner.together(() -> mine.probe(table), () -> others.probe(table)) / requests;
  }

  private void leaseAndClose(RequestBlock block) {
    block.lease(full.cache());
    block.close();
  }

  private void probeLocked(RequestBlock block) {
    for (int r = 0; r < RequestBlock.REQUESTS; r++) {
      lock.lock();
      try {
        block.probe(table, r);
      } finally {
        lock.unlock();
      }
    }
  }

  @TearDown
  public void close() {
    partner.close();
    full.close();
  }
}
