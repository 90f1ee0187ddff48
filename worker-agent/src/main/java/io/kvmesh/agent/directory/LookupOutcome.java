package io.kvmesh.agent.directory;

import java.util.List;

/** What came of asking who holds a prefix. */
public sealed interface LookupOutcome {

  /** A short name, the same as in metrics. */
  String label();

  /**
   * These do, the best first.
   *
   * @param remembered whether a controller said so a moment ago, and not now
   */
  record Found(List<Holder> holders, boolean remembered) implements LookupOutcome {

    /** Copies the list. */
    public Found {
      holders = List.copyOf(holders);
      if (holders.isEmpty()) {
        throw new IllegalArgumentException("Found needs a holder");
      }
    }

    /** As a controller says it now. */
    public Found(List<Holder> holders) {
      this(holders, false);
    }

    @Override
    public String label() {
      return "found";
    }
  }

  /** Nobody does. */
  record Miss() implements LookupOutcome {
    @Override
    public String label() {
      return "miss";
    }
  }

  /** Nobody said who does. */
  sealed interface Unanswered extends LookupOutcome {}

  /** A controller refused the question. */
  record Rejected(String error) implements Unanswered {
    @Override
    public String label() {
      return "rejected";
    }
  }

  /** No controller knows yet. */
  record NotReady() implements Unanswered {
    @Override
    public String label() {
      return "not_ready";
    }
  }

  /** No controller can be reached, or all are being passed over. */
  record Unavailable(String reason) implements Unanswered {
    @Override
    public String label() {
      return "unavailable";
    }
  }

  /** No controller answered in time. */
  record TimedOut() implements Unanswered {
    @Override
    public String label() {
      return "timed_out";
    }
  }
}
