package io.kvmesh.quickstart.workload;

/** A trace that isn't one; the message is one line with file, line number and rule. */
public final class TraceFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  TraceFormatException(String message) {
    super(message);
  }
}
