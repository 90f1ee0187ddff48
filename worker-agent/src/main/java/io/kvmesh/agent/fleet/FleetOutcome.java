package io.kvmesh.agent.fleet;

import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.transfer.PullOutcome;

/** What came of wanting the rest of a prefix from the fleet. */
public sealed interface FleetOutcome {

  /** As the native door and traces tell it, see {@code peer_outcome}. */
  String label();

  /** Whether no more came since time was over. */
  default boolean timedOut() {
    return false;
  }

  /** Nothing was asked of anybody. */
  record NotAsked() implements FleetOutcome {
    @Override
    public String label() {
      return "none";
    }
  }

  /** The chunks are on the first rank alone, and this isn't it. */
  record FirstRankOnly() implements FleetOutcome {
    @Override
    public String label() {
      return "first_rank_only";
    }
  }

  /** Nobody has it, or whoever is said to has it no more. */
  record Miss() implements FleetOutcome {
    @Override
    public String label() {
      return "miss";
    }
  }

  /** No controller said who has it. */
  record Unanswered(LookupOutcome.Unanswered lookup) implements FleetOutcome {
    @Override
    public String label() {
      return "directory_" + lookup.label();
    }

    @Override
    public boolean timedOut() {
      return lookup instanceof LookupOutcome.TimedOut;
    }
  }

  /** A peer had some of it, or should have given it. */
  record Pulled(PullOutcome pull) implements FleetOutcome {
    @Override
    public String label() {
      return pull.label();
    }

    @Override
    public boolean timedOut() {
      return pull instanceof PullOutcome.TimedOut;
    }
  }

  /** What a pull came to. */
  static FleetOutcome of(PullOutcome pull) {
    return pull instanceof PullOutcome.Miss ? new Miss() : new Pulled(pull);
  }
}
