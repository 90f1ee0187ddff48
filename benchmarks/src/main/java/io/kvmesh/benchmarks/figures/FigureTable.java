package io.kvmesh.benchmarks.figures;

import java.io.PrintStream;

/** Prints figures as they come: what, the figure, its baseline, and the aim if there is one. */
public final class FigureTable {

  private static final String ROW = "%-44s %-28s %-52s %s%n";

  /**
   * What a figure is held against.
   *
   * @param name of the baseline
   * @param written its value
   */
  public record Baseline(String name, String written) {

    public static final Baseline NONE = new Baseline("", "");

    public static Baseline of(String name, Unit unit, Samples samples) {
      return new Baseline(name, unit.write(samples));
    }
  }

  private final PrintStream out;

  public FigureTable(PrintStream out) {
    this.out = out;
  }

  public void section(String title) {
    out.printf("%n%s%n", title);
    out.printf(ROW, "", "median (lowest..highest)", "baseline of the same rounds", "aim");
  }

  public void row(String what, Unit unit, Samples figure, Baseline baseline) {
    row(what, unit, figure, baseline, "");
  }

  public void atMost(double limit, String what, Unit unit, Samples figure, Baseline baseline) {
    row(what, unit, figure, baseline, "at most", limit, figure.median() <= limit);
  }

  public void atLeast(double limit, String what, Unit unit, Samples figure, Baseline baseline) {
    row(what, unit, figure, baseline, "at least", limit, figure.median() >= limit);
  }

  private void row(
      String what,
      Unit unit,
      Samples figure,
      Baseline baseline,
      String bound,
      double limit,
      boolean met) {
    String aim = "%s %s: %s".formatted(bound, unit.write(limit), met ? "met" : "MISSED");
    row(what, unit, figure, baseline, aim);
  }

  private void row(String what, Unit unit, Samples figure, Baseline baseline, String aim) {
    String beside = baseline.name().isEmpty() ? "" : baseline.name() + " " + baseline.written();
    out.printf(ROW, what, unit.write(figure), beside, aim);
  }

  public void line(String text) {
    out.println(text);
  }
}
