package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.ScratchDirectory;
import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import io.kvmesh.common.wire.OpType;
import io.kvmesh.embedded.EmbeddedKafka;
import io.kvmesh.embedded.EmbeddedRedis;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Admits through a real Kafka into both views, and a controller that starts again with what Redis
 * holds. Everything is on this machine, Kafka in this process.
 */
public final class RestartFigures {

  private static final int WORKERS = 16;
  private static final int MAX_IN_FLIGHT = 1_000;
  private static final int SAMPLED_EVERY = 101;

  private final FigureTable table = new FigureTable(System.out);
  private final Fleet fleet = new Fleet(WORKERS);
  private final int chunksEach;
  private final EmbeddedKafka kafka;
  private final EmbeddedRedis redis;

  private RestartFigures(int placements, EmbeddedKafka kafka, EmbeddedRedis redis) {
    this.chunksEach = placements / WORKERS / ApplyRounds.BATCH * ApplyRounds.BATCH;
    this.kafka = kafka;
    this.redis = redis;
  }

  /** Takes some ten seconds for each million of placements. */
  public static void run(int millions) throws Exception {
    System.setProperty("logback.configurationFile", "kvmesh-embedded-logback.xml");
    try (ScratchDirectory scratch = ScratchDirectory.make();
        EmbeddedKafka kafka = EmbeddedKafka.start(scratch.path().resolve("kafka"), 0);
        EmbeddedRedis redis = EmbeddedRedis.start(scratch.path().resolve("redis"), 0)) {
      RestartFigures figures = new RestartFigures(millions * 1_000_000, kafka, redis);
      figures.fill();
      figures.restart();
    }
  }

  private void fill() throws Exception {
    table.section("%,d admits in batches of 100, through Kafka".formatted(placements()));
    try (LogReader controller = reader()) {
      controller.startAndAwaitReady();
      for (int worker = 0; worker < WORKERS; worker++) {
        long epoch = controller.log.append(fleet.upEvent(worker)).get(30, TimeUnit.SECONDS);
        fleet.began(worker, epoch);
      }
      long begin = System.nanoTime();
      write(controller);
      double written = System.nanoTime() - begin;
      controller.awaitNoLag();
      double applied = System.nanoTime() - begin;
      rate("a second into the log", written);
      rate("a second into the log and both views", applied);
      requireWhole(controller);
    }
  }

  private void rate(String what, double nanos) {
    table.atLeast(
        150_000,
        what,
        Unit.THOUSAND_A_SECOND,
        Samples.of(placements() / nanos * 1e9),
        Baseline.NONE);
  }

  private void write(LogReader controller) throws InterruptedException {
    Semaphore room = new Semaphore(MAX_IN_FLIGHT);
    for (int first = 0; first < chunksEach; first += ApplyRounds.BATCH) {
      for (int worker = 0; worker < WORKERS; worker++) {
        room.acquire();
        var _ =
            controller
                .log
                .append(fleet.batchEvent(worker, OpType.ADMIT, first, ApplyRounds.BATCH))
                .whenComplete((offset, failure) -> room.release());
      }
    }
    room.acquire(MAX_IN_FLIGHT);
  }

  private void restart() throws Exception {
    table.section("A controller starts, %,d placements in Redis".formatted(placements()));
    try (LogReader controller = reader()) {
      long begin = System.nanoTime();
      controller.startAndAwaitReady();
      table.row(
          "ready",
          Unit.MILLISECONDS,
          Samples.of((double) (System.nanoTime() - begin)),
          Baseline.NONE);
      requireWhole(controller);
      table.line("nothing is missing");
    }
  }

  private void requireWhole(LogReader controller) {
    for (int worker = 0; worker < WORKERS; worker++) {
      long inMemory = controller.index.totals(Fleet.id(worker)).count();
      var inRedis = controller.durable.totals(Fleet.id(worker));
      if (inMemory != chunksEach || !inRedis.equals(controller.index.totals(Fleet.id(worker)))) {
        throw new IllegalStateException(
            "Worker %d: %d in memory, %s in Redis".formatted(worker, inMemory, inRedis));
      }
      for (int number = 0; number < chunksEach; number += SAMPLED_EVERY) {
        long hash = Fleet.hash(worker, number);
        if (controller.index.holders(Fleet.KEYSPACE, hash).size() != 1) {
          throw new IllegalStateException("Chunk %d of worker %d".formatted(number, worker));
        }
      }
    }
  }

  private LogReader reader() {
    return new LogReader(kafka.bootstrapServers(), redis.uri());
  }

  private long placements() {
    return (long) WORKERS * chunksEach;
  }
}
