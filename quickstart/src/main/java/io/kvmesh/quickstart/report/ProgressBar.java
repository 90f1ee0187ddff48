package io.kvmesh.quickstart.report;

import java.io.PrintStream;

/**
 * One line that is drawn over itself, and nothing at all where the output is no terminal. Not
 * thread-safe.
 */
public final class ProgressBar {

  private static final int WIDTH = 40;
  private static final long REDRAW_NANOS = 100_000_000;

  private final PrintStream out;
  private final boolean terminal;
  private final String title;
  private final int total;
  private long lastDrawn;
  private boolean drawn;

  public ProgressBar(PrintStream out, boolean terminal, String title, int total) {
    this.out = out;
    this.terminal = terminal;
    this.title = title;
    this.total = total;
  }

  /**
   * Draws it, now and then.
   *
   * @param done of the total
   * @param note shown behind the bar, short
   * @param nowNanos {@link System#nanoTime()}
   */
  public void show(int done, String note, long nowNanos) {
    if (!terminal || (drawn && done < total && nowNanos - lastDrawn < REDRAW_NANOS)) {
      return;
    }
    lastDrawn = nowNanos;
    drawn = true;
    int filled = total == 0 ? WIDTH : (int) ((long) WIDTH * done / total);
    out.printf(
        "\r%s [%s%s] %d/%d  %s\u001b[K",
        title, "#".repeat(filled), ".".repeat(WIDTH - filled), done, total, note);
    out.flush();
  }

  /** Takes the line away, so that others can follow. */
  public void clear() {
    if (drawn) {
      out.print("\r\u001b[K");
      out.flush();
      drawn = false;
    }
  }
}
