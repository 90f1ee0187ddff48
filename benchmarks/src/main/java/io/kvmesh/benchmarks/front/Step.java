package io.kvmesh.benchmarks.front;

/**
 * A few seconds of the mix at one rate.
 *
 * @param rate keys a second
 * @param lookups from the time that each was due to its answer
 * @param bare the same of questions to a bare JeroMQ socket, meanwhile
 * @param lag of the view, or of that of two which is farther behind
 * @param backlogNanos from the time of the last message to the last answer
 */
record Step(double rate, Latencies lookups, Latencies bare, LagSamples lag, long backlogNanos) {

  /** What a lag may grow by, and how long the last answers may take. */
  private static final double SLACK_SECONDS = 0.1;

  /** A view that is so far behind isn't waited for. */
  private static final double HOPELESS_SECONDS = 2;

  /** Whether it could have gone on for ever. */
  boolean isSteady() {
    return lag.isFlat((long) (changesASecond(rate) * SLACK_SECONDS))
        && !isHopeless(rate, lag.late())
        && backlogNanos < SLACK_SECONDS * 1e9;
  }

  /** Whether a view that is so many changes behind is too far behind. */
  static boolean isHopeless(double rate, long lag) {
    return lag > changesASecond(rate) * HOPELESS_SECONDS;
  }

  static double changesASecond(double rate) {
    return rate * Population.CHANGES_A_MESSAGE / Population.KEYS_A_MESSAGE;
  }

  /** For how long so many changes are said. */
  double lagNanos(long changes) {
    return changes / changesASecond(rate) * 1e9;
  }
}
