package io.kvmesh.agent.cache;

/**
 * How a cache behaves.
 *
 * @param maxWaitingClaims batches that may wait for room at once; a further one answers at once
 */
public record CacheOptions(int maxWaitingClaims) {

  /** What a cache does that is asked for nothing special. */
  public static final CacheOptions DEFAULT = new CacheOptions(256);

  /** Refuses a negative bound. */
  public CacheOptions {
    if (maxWaitingClaims < 0) {
      throw new IllegalArgumentException(
          "At least 0 claims may wait, got %d".formatted(maxWaitingClaims));
    }
  }
}
