package io.kvmesh.benchmarks;

import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What it costs an engine on the agent's host to retrieve a resident prefix: in place, with small
 * pages and with large ones, beside bare round trips of as many bytes as its messages and the
 * chunks have. They take turns; of each round the median counts.
 */
final class HandOverFigures {

  private static final int CHUNKS = 64;
  private static final int SMALL = 64 << 10;
  private static final int LARGE = 4 << 20;

  /** What a lease of 64 chunks asks and is answered. */
  private static final int QUESTION_BYTES = 3000;

  private static final int ANSWER_BYTES = 1300;

  private static final int ROUNDS = 9;
  private static final int WARM_UP_ROUNDS = 5;
  private static final int OFTEN = 400;

  /**
   * Who takes part.
   *
   * @param times in a round
   */
  private record Entry(Contender contender, int times) {}

  private HandOverFigures() {}

  /** Measures and prints. */
  static void run() throws Exception {
    try (ScratchDirectory shared = ScratchDirectory.inSharedMemory()) {
      run(shared.path());
    }
  }

  private static void run(Path directory) throws IOException, InterruptedException {
    try (Contender small = new InPlace("in place, pages of 64 KiB", directory, CHUNKS, SMALL);
        Contender large = new InPlace("in place, pages of 4 MiB", directory, CHUNKS, LARGE);
        Contender words = new RoundTrip("bare, its messages", QUESTION_BYTES, 1, ANSWER_BYTES);
        Contender few = new RoundTrip("bare, 64 x 64 KiB", QUESTION_BYTES, CHUNKS, SMALL);
        Contender many = new RoundTrip("bare, 64 x 4 MiB", QUESTION_BYTES, CHUNKS, LARGE)) {
      print(
          measure(
              List.of(
                  new Entry(small, OFTEN),
                  new Entry(large, OFTEN),
                  new Entry(words, OFTEN),
                  new Entry(few, OFTEN / 20),
                  new Entry(many, 3))));
    }
  }

  private static Samples[] measure(List<Entry> entries) throws IOException, InterruptedException {
    double[][] medians = new double[entries.size()][ROUNDS];
    for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      double[] once = round(entries);
      for (int i = 0; round >= 0 && i < once.length; i++) {
        medians[i][round] = once[i];
      }
    }
    return Arrays.stream(medians).map(Samples::new).toArray(Samples[]::new);
  }

  /** All take turns until each has had its times; the median of each. */
  private static double[] round(List<Entry> entries) throws IOException, InterruptedException {
    double[][] nanos = new double[entries.size()][];
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = new double[entries.get(i).times()];
    }
    for (int turn = 0; turn < OFTEN; turn++) {
      for (int i = 0; i < nanos.length; i++) {
        if (turn < nanos[i].length) {
          entries.get(i).contender().reset();
          long begin = System.nanoTime();
          entries.get(i).contender().pull();
          nanos[i][turn] = System.nanoTime() - begin;
        }
      }
    }
    return Arrays.stream(nanos).mapToDouble(times -> new Samples(times).median()).toArray();
  }

  private static void print(Samples[] figures) {
    FigureTable table = new FigureTable(System.out);
    table.section("A resident prefix of 64 chunks, p50 of a round");
    Samples words = figures[2];
    for (int i = 0; i < 2; i++) {
      Baseline messages = Baseline.of("bare, its messages", Unit.MICROSECONDS, words);
      Baseline bodies = Baseline.of("bare, with the bodies", Unit.MICROSECONDS, figures[3 + i]);
      String what = "in place, pages of " + (i == 0 ? "64 KiB" : "4 MiB");
      table.row(what, Unit.MICROSECONDS, figures[i], messages);
      table.row("  the same", Unit.MICROSECONDS, figures[i], bodies);
      table.row("  of its messages", Unit.TIMES, figures[i].over(words), Baseline.NONE);
      table.row("  of the bodies", Unit.TIMES, figures[i].over(figures[3 + i]), Baseline.NONE);
    }
    table.row("4 MiB of 64 KiB", Unit.TIMES, figures[1].over(figures[0]), Baseline.NONE);
  }
}
