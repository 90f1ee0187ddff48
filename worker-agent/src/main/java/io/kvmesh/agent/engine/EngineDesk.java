package io.kvmesh.agent.engine;

import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.CloseSessionRetMsg;
import io.kvmesh.common.wire.engine.EngineAbortMsg;
import io.kvmesh.common.wire.engine.EngineAbortRetMsg;
import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineCancelRetMsg;
import io.kvmesh.common.wire.engine.EngineHandOverMsg;
import io.kvmesh.common.wire.engine.EngineHandOverRetMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePinRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchCancelMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressRetMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchRetMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineReleaseRetMsg;
import io.kvmesh.common.wire.engine.EngineTouchMsg;
import io.kvmesh.common.wire.engine.EngineTouchRetMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.EngineUnpinRetMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.wire.engine.OpenSessionRetMsg;
import io.kvmesh.common.zmq.PeerId;

/** Answers the requests for which nobody has to wait. The door's thread alone. */
final class EngineDesk {

  private final LocalPeer self;
  private final EngineSettings settings;
  private final EngineSessions sessions;
  private final EnginePins pins;
  private final EnginePrefetches prefetches;
  private final EngineApi api;
  private final Counters<EngineCount> counters;

  EngineDesk(
      LocalPeer self,
      EngineSettings settings,
      EngineSessions sessions,
      EnginePins pins,
      EnginePrefetches prefetches,
      EngineApi api,
      Counters<EngineCount> counters) {
    this.self = self;
    this.settings = settings;
    this.sessions = sessions;
    this.pins = pins;
    this.prefetches = prefetches;
    this.api = api;
    this.counters = counters;
  }

  OpenSessionRetMsg open(PeerId peer, OpenSessionMsg request) throws EngineFault {
    EngineSession session = sessions.open(peer, request.client());
    return new OpenSessionRetMsg(
        session.id(), self.epoch().getAsLong(), self.pageBytes(), self.chunkTokens());
  }

  CloseSessionRetMsg close(PeerId peer, CloseSessionMsg request) throws EngineFault {
    EngineSession session = sessions.find(peer, request.sessionId());
    return new CloseSessionRetMsg(sessions.end(session, EngineCount.SESSION_CLOSED));
  }

  EngineReleaseRetMsg release(PeerId peer, EngineReleaseMsg request) throws EngineFault {
    int chunks = sessions.find(peer, request.sessionId()).release(request.leaseId());
    counters.count(EngineCount.RELEASE);
    return new EngineReleaseRetMsg(chunks);
  }

  EngineTouchRetMsg touch(PeerId peer, EngineTouchMsg request) throws EngineFault {
    EngineSession session = sessions.find(peer, request.sessionId());
    int used = session.touch(request.leaseId(), request.chunks(), api);
    counters.count(EngineCount.TOUCH);
    return new EngineTouchRetMsg(used);
  }

  EnginePinRetMsg pin(PeerId peer, EnginePinMsg request) throws EngineFault {
    return pins.pin(sessions.find(peer, request.sessionId()), request);
  }

  EngineUnpinRetMsg unpin(PeerId peer, EngineUnpinMsg request) throws EngineFault {
    return pins.unpin(sessions.find(peer, request.sessionId()), request);
  }

  EnginePrefetchRetMsg prefetch(PeerId peer, EnginePrefetchMsg request) throws EngineFault {
    return prefetches.begin(sessions.find(peer, request.sessionId()), request);
  }

  EnginePrefetchProgressRetMsg progress(PeerId peer, EnginePrefetchProgressMsg request)
      throws EngineFault {
    return prefetches.progress(sessions.find(peer, request.sessionId()), request);
  }

  EnginePrefetchProgressRetMsg cancel(PeerId peer, EnginePrefetchCancelMsg request)
      throws EngineFault {
    return prefetches.cancel(sessions.find(peer, request.sessionId()), request);
  }

  EngineCancelRetMsg cancel(PeerId peer, EngineCancelMsg request) throws EngineFault {
    EngineSession session = sessions.find(peer, request.sessionId());
    return new EngineCancelRetMsg(session.cancel(peer, request.requestId()));
  }

  EngineHandOverRetMsg handOver(PeerId peer, EngineHandOverMsg request) throws EngineFault {
    EngineSession session = sessions.find(peer, request.sessionId());
    HandOverSettings memory =
        settings
            .handOver()
            .orElseThrow(
                () -> EngineFault.badRequest("this agent's memory isn't in a file to be mapped"));
    session.askForHandOver();
    return new EngineHandOverRetMsg(
        memory.socket().toString(),
        memory.arena().toString(),
        memory.arenaId(),
        memory.arenaBytes(),
        memory.generationsOffset(),
        memory.maxChunks());
  }

  EngineAbortRetMsg abort(PeerId peer, EngineAbortMsg request) throws EngineFault {
    Claimed claimed = sessions.find(peer, request.sessionId()).takeClaim(request.claimId());
    claimed.giveBack();
    counters.count(EngineCount.ABORT);
    counters.add(EngineCount.CHUNK_ABORTED, claimed.chunks());
    return new EngineAbortRetMsg(claimed.chunks());
  }
}
