package io.kvmesh.benchmarks.cache;

import io.kvmesh.benchmarks.figures.Samples;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The figures that one benchmark gave, over all rounds of all its processes. */
final class Measured {

  /** A heap that the system backs from the start: a fault of a page costs more than most calls. */
  private static final String[] JVM_ARGUMENTS = {
    "-Xms1g",
    "-Xmx1g",
    "-XX:+AlwaysPreTouch",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  };

  private final List<IterationResult> rounds;

  private Measured(List<IterationResult> rounds) {
    this.rounds = rounds;
  }

  /** Runs a benchmark that has no parameter. */
  static Measured of(Class<? extends Rounds> benchmark) throws RunnerException {
    return run(options(benchmark));
  }

  /** Runs a benchmark with one value of its parameter. */
  static Measured of(Class<? extends Rounds> benchmark, String parameter, Object value)
      throws RunnerException {
    return run(options(benchmark).param(parameter, value.toString()));
  }

  private static ChainedOptionsBuilder options(Class<? extends Rounds> benchmark) {
    return new OptionsBuilder()
        .include("^" + benchmark.getName() + "[.]round$")
        .verbosity(VerboseMode.SILENT)
        .shouldFailOnError(true)
        .jvmArgs(JVM_ARGUMENTS);
  }

  private static Measured run(ChainedOptionsBuilder options) throws RunnerException {
    Collection<RunResult> results = new Runner(options.build()).run();
    return new Measured(
        results.stream()
            .flatMap(result -> result.getBenchmarkResults().stream())
            .flatMap(fork -> fork.getIterationResults().stream())
            .toList());
  }

  /** The figure of that name. */
  Samples get(String name) {
    return new Samples(rounds.stream().mapToDouble(round -> score(round, name)).toArray());
  }

  private static double score(IterationResult round, String name) {
    Result<?> result = round.getSecondaryResults().get(name);
    if (result == null) {
      throw new IllegalArgumentException(
          "There is no figure '%s', only %s".formatted(name, round.getSecondaryResults().keySet()));
    }
    return result.getScore();
  }
}
