package io.kvmesh.agent.fleet;

import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.transfer.TestAgent;
import io.kvmesh.common.count.Counters;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Prefetchers of agents for tests. */
public final class Prefetchers {

  /** Two at a time, two chunks of 4 KiB at once, half of the cache. */
  public static final PrefetchLimits LIMITS =
      new PrefetchLimits(2, Duration.ofSeconds(30), 2 * 4096, Duration.ofSeconds(20), 50);

  private Prefetchers() {}

  /** What pulls for the agent, told by this directory. */
  public static FleetPuller fleet(TestAgent agent, PeerDirectory directory) {
    LocalLookupCache lookups =
        new LocalLookupCache(
            directory,
            100,
            Duration.ofSeconds(10),
            new Counters<>(DirectoryCount.class),
            System::nanoTime);
    return new FleetPuller(lookups, agent.puller);
  }

  /** The agent's prefetcher, for tests that don't look at it. */
  public static Prefetcher of(TestAgent agent, FleetPuller fleet) {
    return of(agent, fleet, LIMITS, new Counters<>(PrefetchCount.class), System::nanoTime);
  }

  /** The agent's prefetcher. */
  public static Prefetcher of(
      TestAgent agent,
      FleetPuller fleet,
      PrefetchLimits limits,
      Counters<PrefetchCount> counters,
      LongSupplier nanoTime) {
    return new Prefetcher(
        agent.cache, fleet, agent.self.pageBytes(), limits, counters, agent.traces, nanoTime);
  }
}
