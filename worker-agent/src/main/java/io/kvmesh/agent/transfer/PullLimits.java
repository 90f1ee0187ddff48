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
    return chunksIn(getBytes, pageBytes);
  }

  /**
   * As above, of a peer whose memory is read: no bytes follow its reply, so it may be larger, and
   * half of what may be under way leaves room for another request.
   *
   * @param maxInFlight bytes, asked of one peer
   */
  int chunksAtOnce(int pageBytes, long maxInFlight) {
    return chunksIn(Math.max(getBytes, maxInFlight / 2), pageBytes);
  }

  private static int chunksIn(long bytes, int pageBytes) {
    return Math.clamp(bytes / pageBytes, 1, Integer.MAX_VALUE);
  }
}
