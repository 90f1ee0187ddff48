package io.kvmesh.common.zmq;

/** A message without a payload; there is nothing to answer. */
public final class EnvelopeException extends Exception {

  private static final long serialVersionUID = 1L;

  EnvelopeException(String rule) {
    super(rule, null, false, false);
  }
}
