package io.kvmesh.benchmarks.figures;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** One figure of each round, in the order of the rounds. */
public record Samples(double[] values) {

  /** Of one round. */
  public static Samples of(double value) {
    return new Samples(new double[] {value});
  }

  public double median() {
    return sorted()[values.length / 2];
  }

  public double lowest() {
    return sorted()[0];
  }

  public double highest() {
    return sorted()[values.length - 1];
  }

  private double[] sorted() {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  public Samples map(DoubleUnaryOperator function) {
    return new Samples(Arrays.stream(values).map(function).toArray());
  }

  /** How often the other fits in, round by round. */
  public Samples over(Samples other) {
    return with(other, (a, b) -> a / b);
  }

  /** As above for rounds that were not made side by side. */
  public Samples medianOver(Samples other) {
    return of(median() / other.median());
  }

  public Samples plus(Samples other) {
    return with(other, Double::sum);
  }

  /** Of nanoseconds: how many times a second. */
  public Samples perSecond() {
    return map(nanos -> 1e9 / nanos);
  }

  private Samples with(Samples other, DoubleBinaryOperator function) {
    double[] result = new double[Math.min(values.length, other.values.length)];
    Arrays.setAll(result, i -> function.applyAsDouble(values[i], other.values[i]));
    return new Samples(result);
  }
}
