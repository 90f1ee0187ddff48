package io.kvmesh.quickstart.picture;

import java.util.DoubleSummaryStatistics;
import java.util.List;

/**
 * A line of a chart.
 *
 * @param name as the legend has it
 * @param values at equal distances in time; NaN where there is none
 */
public record Series(String name, List<Double> values) {

  /** Copies the values. */
  public Series {
    values = List.copyOf(values);
  }

  /** The last that is there; NaN if none is. */
  double last() {
    return values.reversed().stream().filter(it -> !it.isNaN()).findFirst().orElse(Double.NaN);
  }

  /** Of all that are there. */
  static DoubleSummaryStatistics statistics(List<Series> all) {
    return all.stream()
        .flatMap(it -> it.values().stream())
        .mapToDouble(Double::doubleValue)
        .filter(Double::isFinite)
        .summaryStatistics();
  }
}
