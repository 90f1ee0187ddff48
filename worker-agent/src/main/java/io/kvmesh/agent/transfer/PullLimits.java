package io.kvmesh.agent.transfer;

/**
 * How a pull is cut up.
 *
 * @param getBytes asked for by one request; more is asked for by several side by side
 * @param maxAttempts at one peer in a row, within the pull's deadline
 * @param maxHolders asked side by side; others are asked where those fail
 */
public record PullLimits(long getBytes, int maxAttempts, int maxHolders) {

  /** How many chunks one request asks for. */
  int chunksAtOnce(int pageBytes) {
    return (int) Math.max(1, getBytes / pageBytes);
  }
}
