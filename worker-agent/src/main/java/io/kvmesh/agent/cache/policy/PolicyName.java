package io.kvmesh.agent.cache.policy;

import java.util.Arrays;
import java.util.Locale;

/** The policies that can be chosen by name. */
public enum PolicyName {
  /** The least recently used goes; being put is a use. */
  LRU,
  /** The one that was put first goes. */
  FIFO,
  /** The least often used goes; of equals the one that reached its count first. */
  LFU,
  /** The most recently used goes; being put is a use. */
  MRU,
  /** Newcomers that nobody uses go first, in the order in which they were put. */
  S3FIFO,
  /** Newcomers that nobody uses go sooner or later, whichever serves the traffic better. */
  ADAPTIVE;

  /**
   * The policy of this name, in upper or lower case.
   *
   * @throws IllegalArgumentException if there is none; the message lists all
   */
  public static PolicyName parse(String text) {
    return Arrays.stream(values())
        .filter(name -> name.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "There is no policy '%s'; choose one of %s"
                        .formatted(text, Arrays.toString(values()).toLowerCase(Locale.ROOT))));
  }

  /** A policy without entries, for slots from 0 to below {@code slots}, which may all be in use. */
  public EvictionPolicy create(int slots) {
    return create(slots, slots);
  }

  /**
   * A policy without entries, for slots from 0 to below {@code slots}.
   *
   * @param size entries of a full cache, of which the policy reckons its shares; some slots may be
   *     those of chunks that it doesn't order
   */
  public EvictionPolicy create(int slots, int size) {
    return switch (this) {
      case LRU -> new LruPolicy(slots);
      case FIFO -> new FifoPolicy(slots);
      case LFU -> new LfuPolicy(slots);
      case MRU -> new MruPolicy(slots);
      case S3FIFO -> new S3FifoPolicy(slots, size);
      case ADAPTIVE -> new AdaptivePolicy(slots, size);
    };
  }
}
