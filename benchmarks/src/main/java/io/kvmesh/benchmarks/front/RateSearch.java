package io.kvmesh.benchmarks.front;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Looks for the highest rate that is steady: doubles it, halves what is between, and tries it. */
final class RateSearch {

  private static final double FIRST = 400_000;
  private static final double LOWEST = 10_000;
  private static final double HIGHEST = 3_200_000;
  private static final double SECONDS = 5;
  private static final double LAST_SECONDS = 8;

  /** Two rates that are no farther apart count as one. */
  private static final double CLOSE = 1.07;

  /** A rate that wasn't steady for longer is lowered by as much. */
  private static final double LOWER = 0.95;

  private static final int TRIES = 5;

  private final LoadedController controller;
  private final Consumer<Step> tried;

  /**
   * @param tried is told each step that was made
   */
  RateSearch(LoadedController controller, Consumer<Step> tried) {
    this.controller = controller;
    this.tried = tried;
  }

  /** The longest step at the highest rate that was steady; the last one tried if none was. */
  Step highest() throws IOException, InterruptedException, TimeoutException {
    double steady = LOWEST;
    double tooHigh = HIGHEST;
    double rate = FIRST;
    while (tooHigh > steady * CLOSE) {
      if (step(rate, SECONDS).isSteady()) {
        steady = rate;
      } else {
        tooHigh = rate;
      }
      rate = Math.min(2 * rate, (steady + tooHigh) / 2);
    }
    return confirmed(steady);
  }

  private Step confirmed(double highest)
      throws IOException, InterruptedException, TimeoutException {
    Step step = step(highest, LAST_SECONDS);
    for (int i = 1; i < TRIES && !step.isSteady(); i++) {
      step = step(step.rate() * LOWER, LAST_SECONDS);
    }
    return step;
  }

  private Step step(double rate, double seconds)
      throws IOException, InterruptedException, TimeoutException {
    Step step = controller.step(rate, seconds);
    tried.accept(step);
    return step;
  }
}
