package io.kvmesh.cli;

/**
 * Something that isn't as it should be.
 *
 * @param where the controller or worker that it is about
 * @param what is wrong
 * @param meaning what comes of it
 * @param change what puts it right
 */
record Finding(Severity severity, String where, String what, String meaning, String change) {

  /** How bad it is. Only notes leave the status good. */
  enum Severity {
    TROUBLE,
    WARNING,
    NOTE
  }

  static Finding trouble(String where, String what, String meaning, String change) {
    return new Finding(Severity.TROUBLE, where, what, meaning, change);
  }

  static Finding warning(String where, String what, String meaning, String change) {
    return new Finding(Severity.WARNING, where, what, meaning, change);
  }

  static Finding note(String where, String what, String meaning, String change) {
    return new Finding(Severity.NOTE, where, what, meaning, change);
  }

  @Override
  public String toString() {
    return "%-8s %s: %s%n         meaning: %s%n         change:  %s%n"
        .formatted(severity, where, what, meaning, change);
  }
}
