package io.kvmesh.agent.transfer;

/**
 * A peer that is said to hold a prefix.
 *
 * @param address host:port of its init port
 * @param chunks how many, from the first on
 */
public record PullSource(String address, int chunks) {

  /** What it holds of the chunks behind the first {@code skipped}. */
  PullSource after(int skipped) {
    return new PullSource(address, Math.max(0, chunks - skipped));
  }
}
