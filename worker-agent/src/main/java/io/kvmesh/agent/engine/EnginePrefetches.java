package io.kvmesh.agent.engine;

import io.kvmesh.agent.fleet.PrefetchId;
import io.kvmesh.agent.fleet.PrefetchReport;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.wire.PrefetchOutcome;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EnginePrefetchCancelMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchRetMsg;
import java.util.Optional;

/** Prefetches on behalf of sessions, which end with them. The door's thread alone. */
final class EnginePrefetches {

  private final Prefetcher prefetcher;
  private final int maxKeys;
  private final Counters<EngineCount> counters;
  private long lastId;

  EnginePrefetches(Prefetcher prefetcher, int maxKeys, Counters<EngineCount> counters) {
    this.prefetcher = prefetcher;
    this.maxKeys = maxKeys;
    this.counters = counters;
  }

  EnginePrefetchRetMsg begin(EngineSession session, EnginePrefetchMsg request) throws EngineFault {
    long number = ++lastId;
    Prefetcher.Entry entry =
        prefetcher.begin(
            id(session, number),
            EngineKeys.parse(request.keys(), maxKeys),
            request.deadlineMillis(),
            Traceparent.parse(
                request.traceparent(), () -> counters.count(EngineCount.BAD_TRACEPARENT)),
            report -> {});
    switch (entry) {
      case BEGUN -> counters.count(EngineCount.PREFETCH);
      case DUPLICATE -> throw new IllegalStateException("Number " + number + " came twice");
      case BUSY -> throw EngineFault.overloaded("as many prefetches as may be are under way");
      case NOT_KEPT -> throw EngineFault.badRequest("this agent keeps no chunks");
      case CLOSING -> throw new EngineFault(EngineErrorCode.CLOSING, "this agent is closing");
    }
    return new EnginePrefetchRetMsg(number);
  }

  EnginePrefetchProgressRetMsg progress(EngineSession session, EnginePrefetchProgressMsg request)
      throws EngineFault {
    long number = request.prefetchId();
    return told(session, number, prefetcher.find(id(session, number)));
  }

  EnginePrefetchProgressRetMsg cancel(EngineSession session, EnginePrefetchCancelMsg request)
      throws EngineFault {
    long number = request.prefetchId();
    return told(session, number, prefetcher.cancel(id(session, number)));
  }

  private static EnginePrefetchProgressRetMsg told(
      EngineSession session, long number, Optional<PrefetchReport> found) throws EngineFault {
    PrefetchReport report =
        found.orElseThrow(
            () ->
                new EngineFault(
                    EngineErrorCode.UNKNOWN_LEASE,
                    "session %d has no prefetch %d".formatted(session.id(), number)));
    return new EnginePrefetchProgressRetMsg(
        report.state(),
        report.chunks(),
        report.count(PrefetchOutcome.RESIDENT),
        report.count(PrefetchOutcome.BROUGHT),
        report.count(PrefetchOutcome.MISSING),
        report.count(PrefetchOutcome.FAILED),
        report.reason());
  }

  /** Ends those of a session that ends. */
  void end(EngineSession session) {
    prefetcher.endGroup(group(session));
  }

  private static PrefetchId id(EngineSession session, long number) {
    return new PrefetchId(group(session), Long.toString(number));
  }

  private static String group(EngineSession session) {
    return "engine " + session.id();
  }
}
