package io.kvmesh.agent.transfer;

/**
 * One peer in one pull: what may still be asked of it, and what is under way. One thread.
 *
 * <p>A fault of the connection meets all requests in flight on it and counts once: requests are
 * numbered by the connection that they went out on, as far as the pull can tell.
 */
final class PullHolder {

  private final String address;
  private final int mostChunks;
  private int reach;
  private int requests;
  private long bytes;
  private int connection;
  private int faults;
  private boolean out;
  private long heardNanos;
  private long patienceFromNanos;

  /**
   * @param reach it may have the wanted chunks before this one
   * @param mostChunks that one request may ask it for
   */
  PullHolder(String address, int reach, int mostChunks) {
    this.address = address;
    this.mostChunks = mostChunks;
    this.reach = reach;
  }

  String address() {
    return address;
  }

  /** Whether it may still be asked for this wanted chunk. */
  boolean reaches(int which) {
    return !out && which < reach;
  }

  int reach() {
    return reach;
  }

  /** It doesn't have this wanted chunk; what is behind is then of no use. */
  void lacks(int which) {
    reach = Math.min(reach, which);
  }

  /** Nothing more is asked of it in this pull. */
  void giveUp() {
    out = true;
  }

  int mostChunks() {
    return mostChunks;
  }

  int requests() {
    return requests;
  }

  /** Bytes asked of it and not yet taken in. */
  long bytes() {
    return bytes;
  }

  /** Which of its connections the next request goes out on. */
  int connection() {
    return connection;
  }

  /** Faults of its connections since it delivered last. */
  int faults() {
    return faults;
  }

  /** A request goes out. */
  void asked(long askedBytes, long nowNanos, long remainingNanos) {
    if (requests == 0) {
      heard(nowNanos, remainingNanos);
    }
    requests++;
    bytes += askedBytes;
  }

  /** A request is no longer under way. */
  void ended(long askedBytes) {
    requests--;
    bytes -= askedBytes;
  }

  /** It answered. */
  void heard(long nowNanos, long remainingNanos) {
    heardNanos = nowNanos;
    patienceFromNanos = remainingNanos;
  }

  /** When it answered last, or was asked after it had answered everything. */
  long heardNanos() {
    return heardNanos;
  }

  /** It delivered chunks. */
  void delivered() {
    faults = 0;
  }

  /** A connection of it failed; answers whether that wasn't known yet. */
  boolean failed(int onConnection) {
    if (onConnection != connection) {
      return false;
    }
    connection++;
    faults++;
    return true;
  }

  /**
   * For how much longer its silence is borne while another could be asked: for half of the time
   * that was left when it was heard last.
   */
  long patienceNanos(long remainingNanos) {
    return requests == 0 ? Long.MAX_VALUE : remainingNanos - patienceFromNanos / 2;
  }
}
