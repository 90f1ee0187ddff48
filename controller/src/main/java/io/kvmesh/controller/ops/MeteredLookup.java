package io.kvmesh.controller.ops;

import io.kvmesh.controller.lookup.HolderLookup;
import io.kvmesh.controller.lookup.LookupAnswer;
import io.kvmesh.controller.lookup.Requester;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Times and counts lookups by outcome. */
public final class MeteredLookup implements HolderLookup {

  private static final Duration[] BUCKETS = {
    Duration.ofNanos(1_000),
    Duration.ofNanos(10_000),
    Duration.ofNanos(100_000),
    Duration.ofMillis(1),
    Duration.ofMillis(10),
    Duration.ofMillis(100),
    Duration.ofSeconds(1)
  };

  private final HolderLookup lookup;
  private final Timer hits;
  private final Timer misses;
  private final Timer notReady;
  private final Counter mismatched;
  private final Counter withoutAddress;

  public MeteredLookup(HolderLookup lookup, MeterRegistry meters) {
    this.lookup = lookup;
    this.hits = timer(meters, "hit");
    this.misses = timer(meters, "miss");
    this.notReady = timer(meters, "not_ready");
    this.mismatched = passedOver(meters, "mismatch");
    this.withoutAddress = passedOver(meters, "no_address");
  }

  private static Timer timer(MeterRegistry meters, String outcome) {
    return Timer.builder("kvmesh.controller.lookups")
        .description("Time that lookups of the longest prefix take, by outcome")
        .tag("outcome", outcome)
        .serviceLevelObjectives(BUCKETS)
        .register(meters);
  }

  private static Counter passedOver(MeterRegistry meters, String reason) {
    return Counter.builder("kvmesh.controller.lookup.passed.over")
        .description("Holders of a first chunk that could not be offered, by reason")
        .tag("reason", reason)
        .register(meters);
  }

  @Override
  public LookupAnswer find(Requester requester, long[] hashBits) {
    long begin = System.nanoTime();
    LookupAnswer answer = lookup.find(requester, hashBits);
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    switch (answer) {
      case LookupAnswer.NotReady() -> notReady.record(took);
      case LookupAnswer.Found found -> {
        (found.holders().isEmpty() ? misses : hits).record(took);
        mismatched.increment(found.mismatched());
        withoutAddress.increment(found.withoutAddress());
      }
    }
    return answer;
  }
}
