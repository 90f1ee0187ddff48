package io.kvmesh.benchmarks;

import io.kvmesh.benchmarks.cache.CacheFigures;
import io.kvmesh.benchmarks.door.DoorFigures;
import io.kvmesh.benchmarks.front.FrontFigures;
import io.kvmesh.benchmarks.index.IndexFigures;
import io.kvmesh.benchmarks.index.RestartFigures;
import java.util.OptionalDouble;
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
      case "hand-over" -> HandOverFigures.run();
      case "doors" -> DoorFigures.run(args.length < 2 ? 512 : Integer.parseInt(args[1]));
      case "cache" -> CacheFigures.run();
      case "policies" -> policies();
      case "index" -> IndexFigures.run(millions(args, 50));
      case "restart" -> RestartFigures.run(millions(args, 2));
      case "front" -> FrontFigures.run(rate(args));
      default ->
          throw new IllegalArgumentException(
              "The benchmarks are pull, holders, first-page, hand-over, doors, cache, policies, index, restart and front, got '%s'"
                  .formatted(which));
    }
  }

  /** The second argument: so many millions of placements. */
  private static int millions(String[] args, int usual) {
    return args.length < 2 ? usual : Integer.parseInt(args[1]);
  }

  /** The second argument, if there is one: keys a second. */
  private static OptionalDouble rate(String[] args) {
    return args.length < 2
        ? OptionalDouble.empty()
        : OptionalDouble.of(Double.parseDouble(args[1]));
  }

  private static void policies() throws RunnerException {
    new Runner(new OptionsBuilder().include(PolicyCost.class.getName()).forks(1).build()).run();
  }
}
