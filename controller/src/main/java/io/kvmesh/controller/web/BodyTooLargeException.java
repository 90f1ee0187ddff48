package io.kvmesh.controller.web;

import java.io.IOException;

/** A request body is longer than allowed. */
final class BodyTooLargeException extends IOException {

  private static final long serialVersionUID = 1L;

  private final long limitBytes;

  BodyTooLargeException(long limitBytes) {
    super("the body is longer than " + limitBytes + " bytes");
    this.limitBytes = limitBytes;
  }

  long limitBytes() {
    return limitBytes;
  }
}
