package io.kvmesh.quickstart.fleet;

import java.util.List;

/** A program ended or did not become ready. */
public final class ChildFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient List<String> logTail;

  ChildFailure(String message, List<String> logTail) {
    super(message);
    this.logTail = List.copyOf(logTail);
  }

  /** The last lines that the program wrote. */
  public List<String> logTail() {
    return logTail;
  }
}
