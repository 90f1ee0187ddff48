package io.kvmesh.agent.memory;

/**
 * How large an arena may be: as configured, or what is available less the reserve if that is
 * smaller. Where what is available isn't known, as configured.
 *
 * @param reserveBytes left to everything else in this container: heap, buffers, other programs
 */
public record ArenaCapacity(long configuredBytes, long reserveBytes, AvailableMemory available) {

  /** Checks the sizes. */
  public ArenaCapacity {
    if (configuredBytes < 0 || reserveBytes < 0) {
      throw new IllegalArgumentException(
          "Sizes are at least 0, got %d and %d".formatted(configuredBytes, reserveBytes));
    }
  }

  /** Of the arena; 0 if nothing is left beside the reserve. */
  public long bytes() {
    return switch (available) {
      case AvailableMemory.Known known ->
          Math.max(0, Math.min(configuredBytes, known.bytes() - reserveBytes));
      case AvailableMemory.Unknown unknown -> configuredBytes;
    };
  }

  /** Whether the arena is smaller than configured. */
  public boolean isCut() {
    return bytes() < configuredBytes;
  }
}
