package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.EngineAbortMsg;
import io.kvmesh.common.wire.engine.EngineClaimRetMsg;
import io.kvmesh.common.wire.engine.EngineLeaseRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchCancelMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * How to take back what an answer that nobody waits for any more left with the agent. Knows the
 * leases that callers have: these are theirs to close. Any thread.
 */
final class LateAnswers {

  private final LongSupplier sessionId;
  private final Set<Long> held = ConcurrentHashMap.newKeySet();

  LateAnswers(LongSupplier sessionId) {
    this.sessionId = sessionId;
  }

  /** A caller has this lease; 0 is none. */
  void held(long leaseId) {
    if (leaseId != 0) {
      held.add(leaseId);
    }
  }

  /** A caller has closed it. */
  void closed(long leaseId) {
    held.remove(leaseId);
  }

  /** What is to be said to the agent after this reply, if anything. */
  Optional<EngineRequest> undo(EngineReply reply) {
    return switch (reply) {
      case EngineLookupRetMsg found -> release(found.leaseId());
      case EngineRetrieveRetMsg found -> release(found.leaseId());
      case EngineLeaseRetMsg found -> release(found.leaseId());
      case EnginePrefetchRetMsg begun ->
          Optional.of(new EnginePrefetchCancelMsg(sessionId.getAsLong(), begun.prefetchId()));
      case EngineClaimRetMsg claimed ->
          claimed.claimId() == 0
              ? Optional.empty()
              : Optional.of(new EngineAbortMsg(sessionId.getAsLong(), claimed.claimId()));
      default -> Optional.empty();
    };
  }

  private Optional<EngineRequest> release(long leaseId) {
    return leaseId == 0 || held.contains(leaseId)
        ? Optional.empty()
        : Optional.of(new EngineReleaseMsg(sessionId.getAsLong(), leaseId));
  }
}
