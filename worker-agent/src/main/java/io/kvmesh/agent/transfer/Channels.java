package io.kvmesh.agent.transfer;

import java.util.List;

/** Names of the ways in which the bytes of a request come over, agreed in the handshake. */
public final class Channels {

  /** As frames after the reply, from pages on loan; the requester says when it has them. */
  static final String ZMQ = "zmq";

  /** As frames after the reply, from a copy; the requester says nothing. */
  static final String ZMQ_COPY = "zmq-copy";

  /** What this agent can serve, best first. */
  public static final List<String> SERVED = List.of(ZMQ, ZMQ_COPY);

  private Channels() {}
}
