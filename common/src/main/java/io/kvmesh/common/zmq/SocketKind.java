package io.kvmesh.common.zmq;

import org.zeromq.SocketType;

/** The kinds of sockets that are in use. */
public enum SocketKind {
  /** Answers many peers; knows when one is gone. */
  ROUTER(SocketType.ROUTER),
  /** Asks one peer, many requests at a time; knows when it is gone. */
  DEALER(SocketType.DEALER),
  /** Takes one-way messages. */
  PULL(SocketType.PULL),
  /** Sends one-way messages. */
  PUSH(SocketType.PUSH),
  /** Asks one peer, one request at a time; after a lost reply it can only be closed. */
  REQ(SocketType.REQ),
  /** Answers one request at a time. */
  REP(SocketType.REP),
  /** Takes what many may subscribe to. */
  SUB(SocketType.SUB),
  /** Sends to those that have subscribed, and hears of that; who is too slow misses some. */
  XPUB(SocketType.XPUB);

  private final SocketType type;

  SocketKind(SocketType type) {
    this.type = type;
  }

  SocketType type() {
    return type;
  }
}
