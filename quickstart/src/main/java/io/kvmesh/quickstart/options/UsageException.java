package io.kvmesh.quickstart.options;

/** The command line can't be understood; the message is one line that names the option. */
public final class UsageException extends Exception {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
