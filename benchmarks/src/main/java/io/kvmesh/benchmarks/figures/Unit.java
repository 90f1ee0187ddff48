package io.kvmesh.benchmarks.figures;

import java.util.Locale;

/** How a figure is written. */
public enum Unit {
  MICROSECONDS(1e-3, "%.2f", "µs"),
  NANOSECONDS(1, "%.0f", "ns"),
  MILLISECONDS(1e-6, "%.1f", "ms"),
  THOUSAND_A_SECOND(1e-3, "%,.0f", "k/s"),
  BYTES(1, "%.0f", "B"),
  /** Of bytes a nanosecond. */
  GIGABYTES_A_SECOND(1, "%.2f", "GB/s"),
  TIMES(1, "%.2f", "x");

  private final double scale;
  private final String format;
  private final String symbol;

  Unit(double scale, String format, String symbol) {
    this.scale = scale;
    this.format = format;
    this.symbol = symbol;
  }

  public String write(double value) {
    return number(value) + " " + symbol;
  }

  /** The median, and between which values all rounds lie. */
  public String write(Samples samples) {
    return "%s (%s..%s)"
        .formatted(write(samples.median()), number(samples.lowest()), number(samples.highest()));
  }

  private String number(double value) {
    return String.format(Locale.ROOT, format, value * scale);
  }
}
