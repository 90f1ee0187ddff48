package io.kvmesh.common.zmq;

/** Why a connection to a listening socket is cut off. */
public enum ConnectionCut {
  /** It showed nothing but a greeting. */
  SILENT("no frame of ZMTP 3 came in time after it was made"),
  /** There are too many. */
  CROWDED("as many as may be are open, and none had been silent for longer"),
  /** It is in the middle of a message of far too many frames. */
  ENDLESS("a message has no end");

  private final String rule;

  ConnectionCut(String rule) {
    this.rule = rule;
  }

  /** The rule that it broke. */
  String rule() {
    return rule;
  }
}
