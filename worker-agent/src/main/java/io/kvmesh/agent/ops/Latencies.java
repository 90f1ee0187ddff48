package io.kvmesh.agent.ops;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.directory.PeerDirectory;
import io.kvmesh.agent.transfer.PullCount;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** How long questions and pulls take, by outcome. Any thread. */
public final class Latencies {

  private static final Duration SHORTEST = Duration.ofNanos(100_000);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final MeterRegistry registry;

  /** Into this registry. */
  public Latencies(MeterRegistry registry) {
    this.registry = registry;
  }

  /** The same directory, timed. */
  public PeerDirectory timed(PeerDirectory directory) {
    return new TimedDirectory(directory);
  }

  /** A pull has ended so. */
  public void pulled(PullCount outcome, long nanos) {
    timer("pull", "Time that pulls from peers take", outcome.name().toLowerCase(Locale.ROOT))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(String name, String description, String outcome) {
    return Timer.builder(Figures.PREFIX + name)
        .description(description + ", by outcome")
        .tag("outcome", outcome)
        .publishPercentileHistogram()
        .minimumExpectedValue(SHORTEST)
        .maximumExpectedValue(LONGEST)
        .register(registry);
  }

  private final class TimedDirectory implements PeerDirectory {

    private final PeerDirectory directory;

    private TimedDirectory(PeerDirectory directory) {
      this.directory = directory;
    }

    @Override
    public LookupOutcome lookup(Keyspace keyspace, List<ChunkHash> hashes, Duration atMost)
        throws InterruptedException {
      long start = System.nanoTime();
      LookupOutcome outcome = directory.lookup(keyspace, hashes, atMost);
      timer("lookup", "Time that questions to the controllers take", outcome.label())
          .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
      return outcome;
    }
  }
}
