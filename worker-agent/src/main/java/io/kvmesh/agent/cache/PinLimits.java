package io.kvmesh.agent.cache;

import java.time.Duration;

/**
 * What pins are good for.
 *
 * @param lifetime after which a pin that was not renewed is taken off
 * @param mostPercent of the chunks for which there is room that may be pinned; one counts once for
 *     each owner
 */
public record PinLimits(Duration lifetime, int mostPercent) {

  /** Refuses a lifetime that isn't positive, and a share that is none. */
  public PinLimits {
    if (!lifetime.isPositive() || mostPercent < 0 || mostPercent > 100) {
      throw new IllegalArgumentException(
          "Pins live for a positive time and are 0 to 100 percent, got %s and %d"
              .formatted(lifetime, mostPercent));
    }
  }
}
