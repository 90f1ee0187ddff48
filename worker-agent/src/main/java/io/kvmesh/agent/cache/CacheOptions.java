package io.kvmesh.agent.cache;

import java.time.Duration;

/**
 * How a cache behaves.
 *
 * @param keeping what it does with chunks that were committed
 * @param bodies what bodies it takes
 * @param maxWaitingClaims batches that may wait for room at once; a further one answers at once
 * @param pins what pins are good for
 */
public record CacheOptions(Keeping keeping, BodyRule bodies, int maxWaitingClaims, PinLimits pins) {

  /** What a cache does that is asked for nothing special. */
  public static final CacheOptions DEFAULT =
      new CacheOptions(Keeping.HOT, BodyRule.ANY, 256, new PinLimits(Duration.ofMinutes(5), 50));

  /** Refuses a negative bound. */
  public CacheOptions {
    if (maxWaitingClaims < 0) {
      throw new IllegalArgumentException(
          "At least 0 claims may wait, got %d".formatted(maxWaitingClaims));
    }
  }

  CacheOptions withKeeping(Keeping other) {
    return new CacheOptions(other, bodies, maxWaitingClaims, pins);
  }

  CacheOptions withBodies(BodyRule other) {
    return new CacheOptions(keeping, other, maxWaitingClaims, pins);
  }

  CacheOptions withMaxWaitingClaims(int other) {
    return new CacheOptions(keeping, bodies, other, pins);
  }

  CacheOptions withPins(PinLimits other) {
    return new CacheOptions(keeping, bodies, maxWaitingClaims, other);
  }
}
