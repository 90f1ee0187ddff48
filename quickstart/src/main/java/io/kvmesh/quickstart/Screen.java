package io.kvmesh.quickstart;

import io.kvmesh.quickstart.report.ProgressBar;
import java.io.Console;
import java.io.PrintStream;
import java.util.List;

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

  @SuppressWarnings("SystemConsoleNull") // it is null on 25 where there is no terminal
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** The user has interrupted: what ends now is meant to. */
  void silence() {
    silent = true;
  }
}
