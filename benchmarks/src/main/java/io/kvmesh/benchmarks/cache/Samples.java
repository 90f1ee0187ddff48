package io.kvmesh.benchmarks.cache;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** One figure of each round, in the order of the rounds. */
record Samples(double[] values) {

  double median() {
    return sorted()[values.length / 2];
  }

  double lowest() {
    return sorted()[0];
  }

  double highest() {
    return sorted()[values.length - 1];
  }

  private double[] sorted() {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  Samples map(DoubleUnaryOperator function) {
    return new Samples(Arrays.stream(values).map(function).toArray());
  }

  /** How often the other fits in, round by round. */
  Samples over(Samples other) {
    return with(other, (a, b) -> a / b);
  }

  /** As above for rounds that were not made side by side. */
  Samples medianOver(Samples other) {
    return new Samples(new double[] {median() / other.median()});
  }

  Samples plus(Samples other) {
    return with(other, Double::sum);
  }

  /** Of nanoseconds: how many times a second. */
  Samples perSecond() {
    return map(nanos -> 1e9 / nanos);
  }

  private Samples with(Samples other, DoubleBinaryOperator function) {
    double[] result = new double[Math.min(values.length, other.values.length)];
    Arrays.setAll(result, i -> function.applyAsDouble(values[i], other.values[i]));
    return new Samples(result);
  }
}
