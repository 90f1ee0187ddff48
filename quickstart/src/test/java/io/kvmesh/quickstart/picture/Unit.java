package io.kvmesh.quickstart.picture;

import java.util.List;
import java.util.Locale;

/** How values are written, by Grafana's names of units. */
public final class Unit {

  /** Values of at least {@code from} are written as multiples of {@code factor}. */
  private record Step(double from, double factor, String symbol) {}

  private static final List<Step> DECIMAL =
      List.of(
          new Step(1e9, 1e9, " G"),
          new Step(1e6, 1e6, " M"),
          new Step(1e4, 1e3, " k"),
          new Step(0, 1, " "));
  private static final List<Step> BINARY =
      List.of(
          new Step(1L << 30, 1L << 30, " Gi"),
          new Step(1 << 20, 1 << 20, " Mi"),
          new Step(1 << 10, 1 << 10, " Ki"),
          new Step(0, 1, " "));
  private static final List<Step> TIME =
      List.of(
          new Step(2 * 86_400, 86_400, " d"),
          new Step(2 * 3600, 3600, " h"),
          new Step(120, 60, " min"),
          new Step(1, 1, " s"),
          new Step(1e-3, 1e-3, " ms"),
          new Step(0, 1e-6, " µs"));
  private static final List<Step> SHARE = List.of(new Step(0, 0.01, " %"));

  private final List<Step> steps;
  private final String suffix;
  private final String caption;

  private Unit(List<Step> steps, String suffix, String caption) {
    this.steps = steps;
    this.suffix = suffix;
    this.caption = caption;
  }

  /** Throws if it is none that the dashboards use. */
  public static Unit of(String name) {
    return switch (name) {
      case "none", "short" -> new Unit(DECIMAL, "", "");
      case "percentunit" -> new Unit(SHARE, "", "");
      case "bytes" -> new Unit(BINARY, "B", "");
      case "Bps" -> new Unit(DECIMAL, "B/s", "");
      case "s" -> new Unit(TIME, "", "");
      default -> suffixed(name);
    };
  }

  private static Unit suffixed(String name) {
    if (!name.startsWith("suffix:")) {
      throw new IllegalArgumentException("no such unit: " + name);
    }
    return new Unit(DECIMAL, "", name.substring("suffix:".length()).strip());
  }

  /** What is too long to stand at each value of an axis; empty if nothing is. */
  String caption() {
    return caption;
  }

  /** A value that stands alone. */
  String text(double value) {
    return (scale(value).text(value) + " " + caption).strip();
  }

  /** How values up to this one are written side by side. */
  Scale scale(double greatest) {
    Step step =
        steps.stream()
            .filter(it -> greatest == 0 ? it.factor() == 1 : Math.abs(greatest) >= it.from())
            .findFirst()
            .orElse(steps.getLast());
    return new Scale(step.factor(), (step.symbol() + suffix).stripTrailing());
  }

  /**
   * A multiple of the unit.
   *
   * @param factor what 1 of it is in the unit
   */
  record Scale(double factor, String symbol) {

    /** With three digits, or all of an integer. */
    String text(double value) {
      double scaled = value / factor;
      String pattern =
          scaled == Math.rint(scaled) || Math.abs(scaled) >= 100
              ? "%.0f"
              : Math.abs(scaled) >= 10 ? "%.1f" : "%.2f";
      return String.format(Locale.ROOT, pattern, scaled) + symbol;
    }
  }
}
