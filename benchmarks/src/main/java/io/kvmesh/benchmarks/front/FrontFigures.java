package io.kvmesh.benchmarks.front;

import io.kvmesh.benchmarks.ScratchDirectory;
import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import io.kvmesh.embedded.KafkaMain;
import io.kvmesh.embedded.RedisMain;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/**
 * LMCache workers load a controller with the mix that LMCache measures its own with, with a view in
 * Redis and without; Kafka, Redis and controller are processes on this machine.
 */
public final class FrontFigures {

  private static final int BROKER_HEAP_MEGABYTES = 1024;
  private static final double WARM_UP_RATE = 300_000;

  /** For less the compilers of three processes still take most of a core. */
  private static final double WARM_UP_SECONDS = 60;

  private static final double SECONDS = 8;

  /** What LMCache's own controller reached on such a machine, as far as it went. */
  private static final double LMCACHE_RATE = 530_000;

  private static final int BURST = 20_000;
  private static final int SAMPLED_LOOKUPS = 5_000;

  private final FigureTable table = new FigureTable(System.out);
  private final OptionalDouble rate;
  private final String echoAddress;

  private FrontFigures(OptionalDouble rate, String echoAddress) {
    this.rate = rate;
    this.echoAddress = echoAddress;
  }

  /**
   * Takes some minutes.
   *
   * @param rate keys a second; empty = the highest steady rate is looked for
   */
  public static void run(OptionalDouble rate) throws Exception {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    try (ScratchDirectory scratch = ScratchDirectory.make();
        ChildProgram kafka =
            start(scratch, "kafka", BROKER_HEAP_MEGABYTES, KafkaMain.class, options());
        ChildProgram redis = start(scratch, "redis", 64, RedisMain.class, options());
        ChildProgram echo = start(scratch, "echo", 64, BareEcho.class, List.of(ownPid()))) {
      Path dir = scratch.path();
      String broker = kafka.awaitLine("ready kafka ");
      String redisUri = "redis://" + redis.awaitLine("ready redis ");
      FrontFigures figures = new FrontFigures(rate, echo.awaitLine(BareEcho.READY));
      figures.measure("memory alone", dir.resolve("memory"), broker, "");
      figures.measure("memory and Redis", dir.resolve("both"), broker, redisUri);
    }
  }

  private static ChildProgram start(
      ScratchDirectory scratch,
      String name,
      int heapMegabytes,
      Class<?> main,
      List<String> arguments)
      throws IOException {
    return ChildProgram.start(scratch.path().resolve(name), heapMegabytes, main, arguments);
  }

  private static List<String> options() {
    return List.of("--dir", "data", "--parent-pid", ownPid());
  }

  private static String ownPid() {
    return Long.toString(ProcessHandle.current().pid());
  }

  private void measure(String views, Path dir, String broker, String redisUri) throws Exception {
    try (LoadedController controller = new LoadedController(dir, broker, redisUri, echoAddress)) {
      table.section(
          "%d workers, %,d keys held; views: %s"
              .formatted(Population.WORKERS, controller.held(), views));
      controller.step(Math.min(WARM_UP_RATE, rate.orElse(WARM_UP_RATE)), WARM_UP_SECONDS);
      if (rate.isPresent()) {
        steady(controller.step(rate.getAsDouble(), SECONDS));
      } else {
        steady(new RateSearch(controller, this::tried).highest());
        steady(controller.step(LMCACHE_RATE, SECONDS));
      }
      check(controller);
      burst(controller);
    }
  }

  private void steady(Step step) {
    row(
        "keys a second" + (step.isSteady() ? "" : ", NOT steady"),
        Unit.THOUSAND_A_SECOND,
        step.rate());
    for (int percent : new int[] {50, 95, 99}) {
      Samples bare = Samples.of(step.bare().percentile(percent));
      table.row(
          "lookup p" + percent,
          Unit.MILLISECONDS,
          Samples.of(step.lookups().percentile(percent)),
          Baseline.of("bare JeroMQ", Unit.MILLISECONDS, bare));
    }
    row("lag after a third", Unit.MILLISECONDS, step.lagNanos(step.lag().early()));
    row("lag at the end", Unit.MILLISECONDS, step.lagNanos(step.lag().late()));
  }

  private void tried(Step step) {
    table.line(
        "  tried %,.0f k/s: %s; lookup p95 %s, lag after a third %s, at the end %s"
            .formatted(
                step.rate() / 1000,
                step.isSteady() ? "steady" : "not steady",
                Unit.MILLISECONDS.write(step.lookups().percentile(95)),
                Unit.MILLISECONDS.write(step.lagNanos(step.lag().early())),
                Unit.MILLISECONDS.write(step.lagNanos(step.lag().late()))));
  }

  private void burst(LoadedController controller) throws Exception {
    LoadedController.Burst burst = controller.burst(BURST);
    String what = "%,d changes at once: ".formatted(BURST * HeldKeys.RUN);
    row(what + "taken", Unit.MILLISECONDS, burst.takenNanos());
    table.atMost(
        15e9, what + "seen", Unit.MILLISECONDS, Samples.of(burst.seenNanos()), Baseline.NONE);
    check(controller);
  }

  private void check(LoadedController controller) throws IOException, InterruptedException {
    table.line(
        "  wrong answers: %d of %,d; %s"
            .formatted(
                controller.wrongLookups(SAMPLED_LOOKUPS), SAMPLED_LOOKUPS, controller.losses()));
  }

  private void row(String what, Unit unit, double value) {
    table.row(what, unit, Samples.of(value), Baseline.NONE);
  }
}
