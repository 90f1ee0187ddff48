package io.kvmesh.benchmarks;

import io.kvmesh.benchmarks.cache.CacheFigures;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmark that the first argument names, {@code pull} if there is none. */
public final class Benchmarks {

  private Benchmarks() {}

  public static void main(String[] args) throws Exception {
    String which = args.length == 0 ? "pull" : args[0];
    switch (which) {
      case "pull" -> PullBandwidth.run();
      case "holders" -> HolderScaling.run();
      case "first-page" -> FirstPage.run();
      case "cache" -> CacheFigures.run();
      case "policies" -> policies();
      default ->
          throw new IllegalArgumentException(
              "The benchmarks are pull, holders, first-page, cache and policies, got '%s'"
                  .formatted(which));
    }
  }

  private static void policies() throws RunnerException {
    new Runner(new OptionsBuilder().include(PolicyCost.class.getName()).forks(1).build()).run();
  }
}
