package io.kvmesh.controller.command;

import io.kvmesh.common.count.Counters;

/** What became of commands since the start. Any thread. */
public final class CommandCounts {

  /** Why a command was not taken. */
  public enum Refusal {
    /** Nobody knows the instance. */
    UNKNOWN_INSTANCE,
    /** It makes no sense between these instances. */
    IMPOSSIBLE,
    /** Its id is taken. */
    DUPLICATE,
    /** Too many are under way. */
    OVERLOADED
  }

  private final Counters<WorkerOutcome.Kind> outcomes = new Counters<>(WorkerOutcome.Kind.class);
  private final Counters<Refusal> refusals = new Counters<>(Refusal.class);

  void ended(WorkerOutcome outcome) {
    outcomes.count(outcome.kind());
  }

  void refused(Refusal why) {
    refusals.count(why);
  }

  /** Workers' outcomes of that kind. */
  public long outcomes(WorkerOutcome.Kind kind) {
    return outcomes.get(kind);
  }

  /** Commands not taken. */
  public long refusals(Refusal why) {
    return refusals.get(why);
  }
}
