package io.kvmesh.agent.fleet;

import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.PrefetchState;
import java.util.EnumMap;
import java.util.Map;

/** How far a prefetch is: chunks by what became of them, and the tokens of those that are here. */
record PrefetchTally(
    int resident,
    int brought,
    int missing,
    int failed,
    long tokens,
    PrefetchState state,
    String reason) {

  static final PrefetchTally NOTHING = new PrefetchTally(0, 0, 0, 0, 0, PrefetchState.RUNNING, "");

  int here() {
    return resident + brought;
  }

  PrefetchTally came(int moreResident, int moreBrought, long moreTokens) {
    return new PrefetchTally(
        resident + moreResident,
        brought + moreBrought,
        missing,
        failed,
        tokens + moreTokens,
        state,
        reason);
  }

  PrefetchTally withMissing(int chunks) {
    return new PrefetchTally(resident, brought, chunks, failed, tokens, state, reason);
  }

  PrefetchTally withFailed(int chunks, String why) {
    return new PrefetchTally(resident, brought, missing, chunks, tokens, state, why);
  }

  PrefetchTally ended(PrefetchState how) {
    return new PrefetchTally(resident, brought, missing, failed, tokens, how, reason);
  }

  /** All of so many chunks. */
  Map<PrefetchOutcome, Integer> outcomes(int chunks) {
    Map<PrefetchOutcome, Integer> outcomes = new EnumMap<>(PrefetchOutcome.class);
    outcomes.put(PrefetchOutcome.RESIDENT, resident);
    outcomes.put(PrefetchOutcome.BROUGHT, brought);
    outcomes.put(PrefetchOutcome.MISSING, missing);
    outcomes.put(PrefetchOutcome.FAILED, failed);
    outcomes.put(PrefetchOutcome.UNTRIED, chunks - here() - missing - failed);
    return outcomes;
  }
}
