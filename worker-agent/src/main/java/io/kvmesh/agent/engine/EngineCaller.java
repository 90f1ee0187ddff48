package io.kvmesh.agent.engine;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.zmq.Envelope;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.PeerId;
import io.kvmesh.common.zmq.SendOutcome;
import io.kvmesh.common.zmq.ZmqSocket;
import java.util.List;
import java.util.OptionalLong;

/** Where a request came from, and where its one reply goes. The door's thread alone. */
final class EngineCaller {

  private final ZmqSocket socket;
  private final Envelope envelope;
  private final MessageCodec codec;
  private final Counters<EngineCount> counters;

  EngineCaller(
      ZmqSocket socket, Envelope envelope, MessageCodec codec, Counters<EngineCount> counters) {
    this.socket = socket;
    this.envelope = envelope;
    this.codec = codec;
    this.counters = counters;
  }

  /** Its connection. */
  PeerId peer() {
    return envelope.peer();
  }

  /** As the client numbers its requests, if it does. */
  OptionalLong requestId() {
    return envelope.requestId();
  }

  void answer(EngineReply reply) {
    boolean unused = answer(reply, List.of());
  }

  /** Whether the reply is on its way. */
  boolean answer(EngineReply reply, List<Frame> bodies) {
    boolean sent = socket.send(envelope.with(codec.encode(reply), bodies)) == SendOutcome.SENT;
    if (!sent) {
      counters.count(EngineCount.REPLY_LOST);
    }
    return sent;
  }

  void fail(EngineFault fault) {
    counters.count(
        switch (fault.code()) {
          case BAD_REQUEST -> EngineCount.BAD_REQUEST;
          case UNKNOWN_SESSION, UNKNOWN_LEASE -> EngineCount.UNKNOWN;
          case OVER_SHARE -> EngineCount.OVER_SHARE;
          case OVERLOADED -> EngineCount.OVERLOADED;
          case CANCELLED -> EngineCount.CANCELLED;
          case CLOSING -> EngineCount.CLOSING;
          case INTERNAL -> EngineCount.FAILED;
        });
    answer(fault.reply());
  }
}
