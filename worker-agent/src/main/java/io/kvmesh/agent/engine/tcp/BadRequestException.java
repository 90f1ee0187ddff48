package io.kvmesh.agent.engine.tcp;

import java.io.IOException;

/** A client sent what makes no sense: where its next request begins can't be known. */
public final class BadRequestException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Says what was wrong. */
  public BadRequestException(String message) {
    super(message);
  }
}
