package io.kvmesh.quickstart;

import io.kvmesh.quickstart.report.ProgressBar;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;

/** What the user sees. Any thread; the progress bar belongs to one. */
final class Screen {

  private final PrintStream out;
  private final PrintStream err;
  private volatile boolean silent;

  Screen(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  void line(String text) {
    if (!silent) {
      out.println(text);
    }
  }

  /** A fault: one line, and below it what a program wrote last. */
  void fault(String message, List<String> details) {
    if (!silent) {
      err.println("quickstart: " + message);
      details.forEach(detail -> err.println("    " + detail));
    }
  }

  ProgressBar progress(String title, int total) {
    return new ProgressBar(out, isTerminal(), title, total);
  }

  private static boolean isTerminal() {
    return Objects.requireNonNull(System.console()).isTerminal();
  }

  /** The user has interrupted: what ends now is meant to. */
  void silence() {
    silent = true;
  }
}
