package io.kvmesh.agent.engine;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.engine.CloseSessionMsg;
import io.kvmesh.common.wire.engine.EngineAbortMsg;
import io.kvmesh.common.wire.engine.EngineCancelMsg;
import io.kvmesh.common.wire.engine.EngineClaimMsg;
import io.kvmesh.common.wire.engine.EngineCommitMsg;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.EngineHandOverMsg;
import io.kvmesh.common.wire.engine.EngineLeaseMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchCancelMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressMsg;
import io.kvmesh.common.wire.engine.EngineReleaseMsg;
import io.kvmesh.common.wire.engine.EngineRequest;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineTouchMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.OpenSessionMsg;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.EnvelopeException;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.MessageHandler;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.common.zmq.PeerId;
import io.kvmesh.common.zmq.RefusedFrames;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;

/** Takes the messages of the native door; each gets one reply. The door's thread alone. */
final class EngineRequests implements MessageHandler {

  private final EngineDesk desk;
  private final EngineSessions sessions;
  private final EngineWork work;
  private final EngineTasks tasks;
  private final MessageCodec codec;
  private final Counters<EngineCount> counters;
  private final RefusedFrames refused;
  private volatile boolean closing;

  EngineRequests(
      EngineDesk desk,
      EngineSessions sessions,
      EngineWork work,
      EngineTasks tasks,
      MessageCodec codec,
      Counters<EngineCount> counters,
      RefusedFrames refused) {
    this.desk = desk;
    this.sessions = sessions;
    this.work = work;
    this.tasks = tasks;
    this.codec = codec;
    this.counters = counters;
    this.refused = refused;
  }

  /** From now on all are refused. Any thread. */
  void close() {
    closing = true;
  }

  @Override
  public void onMessage(ZmqSocket socket, Multipart message) {
    boolean handedOn = false;
    try {
      Envelope.Content content = Envelope.splitAnswerable(message);
      EngineCaller caller = new EngineCaller(socket, content.envelope(), codec, counters);
      handedOn = decode(caller, message, content);
    } catch (EnvelopeException e) {
      refused.refuse(message, e.getMessage());
      counters.count(EngineCount.BAD_REQUEST);
    } finally {
      if (!handedOn) {
        message.release();
      }
    }
  }

  @Override
  public void onPeerGone(ZmqSocket socket, PeerId peer) {
    sessions.gone(peer);
  }

  /** Answers whether the message's bodies are in use by a piece of work. */
  private boolean decode(EngineCaller caller, Multipart message, Envelope.Content content) {
    try {
      EngineRequest request = codec.decode(EngineRequest.class, content.payload());
      if (closing) {
        throw new EngineFault(EngineErrorCode.CLOSING, "this agent is closing");
      }
      if (request instanceof EngineStoreMsg store) {
        store(caller, store, content.body(), message);
        return true;
      }
      dispatch(caller, caller.peer(), request);
    } catch (WireFormatException e) {
      refused.refuse(message, e.getMessage());
      caller.fail(EngineFault.badRequest(String.valueOf(e.getMessage())));
    } catch (EngineFault e) {
      caller.fail(e);
    }
    return false;
  }

  private void dispatch(EngineCaller caller, PeerId peer, EngineRequest request)
      throws EngineFault {
    switch (request) {
      case OpenSessionMsg open -> caller.answer(desk.open(peer, open));
      case CloseSessionMsg close -> caller.answer(desk.close(peer, close));
      case EngineReleaseMsg release -> caller.answer(desk.release(peer, release));
      case EngineTouchMsg touch -> caller.answer(desk.touch(peer, touch));
      case EnginePinMsg pin -> caller.answer(desk.pin(peer, pin));
      case EngineUnpinMsg unpin -> caller.answer(desk.unpin(peer, unpin));
      case EngineCancelMsg cancel -> caller.answer(desk.cancel(peer, cancel));
      case EnginePrefetchMsg prefetch -> caller.answer(desk.prefetch(peer, prefetch));
      case EnginePrefetchProgressMsg ask -> caller.answer(desk.progress(peer, ask));
      case EnginePrefetchCancelMsg cancel -> caller.answer(desk.cancel(peer, cancel));
      case EngineHandOverMsg handOver -> caller.answer(desk.handOver(peer, handOver));
      case EngineAbortMsg abort -> caller.answer(desk.abort(peer, abort));
      case EngineLookupMsg lookup -> lookup(caller, lookup);
      case EngineRetrieveMsg retrieve -> retrieve(caller, retrieve);
      case EngineLeaseMsg lease -> lease(caller, lease);
      case EngineClaimMsg claim -> claim(caller, claim);
      case EngineCommitMsg commit -> commit(caller, commit);
      case EngineStoreMsg store -> throw new IllegalStateException("A store has bodies");
    }
  }

  private void lookup(EngineCaller caller, EngineLookupMsg lookup) throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), lookup.sessionId());
    if (lookup.lease()) {
      session.requireRoom(0);
    }
    begin(EngineTask.of(caller, session, 0), () -> work.lookup(lookup));
  }

  private void retrieve(EngineCaller caller, EngineRetrieveMsg retrieve) throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), retrieve.sessionId());
    session.requireRoom(retrieve.leaseId());
    begin(EngineTask.of(caller, session, retrieve.leaseId()), () -> work.retrieve(retrieve));
  }

  private void lease(EngineCaller caller, EngineLeaseMsg lease) throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), lease.sessionId());
    session.requireLifeline();
    session.requireRoom(lease.leaseId());
    begin(EngineTask.of(caller, session, lease.leaseId()), () -> work.lease(lease));
  }

  private void claim(EngineCaller caller, EngineClaimMsg claim) throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), claim.sessionId());
    session.requireLifeline();
    begin(new EngineTask(caller, session, 0, claim.keys().size()), () -> work.claim(claim));
  }

  private void commit(EngineCaller caller, EngineCommitMsg commit) throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), commit.sessionId());
    if (commit.hold()) {
      session.requireRoom(commit.leaseId());
    }
    Claimed claimed = session.takeClaim(commit.claimId());
    try {
      begin(
          new EngineTask(caller, session, commit.leaseId(), commit.hold() ? claimed.chunks() : 0),
          () -> work.commit(commit, claimed));
    } catch (EngineFault e) {
      session.putBack(commit.claimId(), claimed);
      throw e;
    }
  }

  private void store(
      EngineCaller caller, EngineStoreMsg store, List<Frame> bodies, Multipart message)
      throws EngineFault {
    EngineSession session = sessions.find(caller.peer(), store.sessionId());
    if (store.hold()) {
      session.requireRoom(store.leaseId());
    }
    EngineTask task = EngineTask.of(caller, session, store.leaseId());
    tasks.begin(task, () -> work.store(store, bodies), message::release);
  }

  private void begin(EngineTask task, EngineTasks.Job job) throws EngineFault {
    tasks.begin(task, job, () -> {});
  }
}
