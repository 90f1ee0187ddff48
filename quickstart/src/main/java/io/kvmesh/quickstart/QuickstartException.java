package io.kvmesh.quickstart;

/**
 * Ends the quickstart. The message is one line that says what went wrong and, where there is
 * something to do about it, what.
 */
public final class QuickstartException extends Exception {

  private static final long serialVersionUID = 1L;

  public QuickstartException(String message) {
    super(message);
  }

  public QuickstartException(String message, Throwable cause) {
    super(message, cause);
  }
}
