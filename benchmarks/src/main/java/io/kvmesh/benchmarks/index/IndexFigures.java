package io.kvmesh.benchmarks.index;

import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.function.Supplier;

/** Measures the controller's view in memory and prints one table. */
public final class IndexFigures {

  private static final int WORKERS = 10;
  private static final int WARM_UPS = 6;
  private static final int ROUNDS = 9;

  /** A round of lookups takes a tenth of a second, less than the compiler does. */
  private static final int LOOKUP_WARM_UPS = 40;

  private final FigureTable table = new FigureTable(System.out);

  private IndexFigures() {}

  /**
   * Takes one or two minutes on one core and 4 GB of heap.
   *
   * @param most placements, in millions; the bytes are measured at 10 million and there
   */
  public static void run(int most) throws InterruptedException, IOException {
    IndexFigures figures = new IndexFigures();
    figures.applying(1_000_000);
    figures.applying(10_000_000);
    figures.lookups();
    figures.questions();
    figures.drops();
    figures.bytes(10);
    if (most > 10) {
      figures.bytes(most);
    }
  }

  private void applying(int placements) {
    table.section("Batches of 100, from bytes to the view of %,d placements".formatted(placements));
    var rounds = new ApplyRounds(new FilledIndex(WORKERS, placements / WORKERS));
    ApplyRounds.Nanos got = rounds.measure(WARM_UPS, ROUNDS);
    table.atLeast(
        2_000_000,
        "operations a second, one thread",
        Unit.THOUSAND_A_SECOND,
        got.applied().perSecond(),
        Baseline.of("bare map, no bytes", Unit.THOUSAND_A_SECOND, got.bare().perSecond()));
    table.row(
        "  of the bare map's time", Unit.TIMES, got.applied().over(got.bare()), Baseline.NONE);
  }

  private void lookups() {
    table.section("Lookups drawn from 10,000,000 placements");
    LookupRounds.Nanos got =
        new LookupRounds(new FilledIndex(WORKERS, 1_000_000)).measure(LOOKUP_WARM_UPS, ROUNDS);
    lookup("holders of one chunk", got.one(), got.bareOne());
    lookup("prefix of 100 chunks", got.prefix(), got.barePrefix());
    lookup("the same, with the choice of holders", got.answer(), got.barePrefix());
  }

  private void questions() throws IOException {
    table.section("Prefixes of 100 chunks, asked for over ZeroMQ, one at a time");
    try (AskRounds rounds = new AskRounds(new FilledIndex(WORKERS, 1_000_000))) {
      AskRounds.Nanos got = rounds.measure(LOOKUP_WARM_UPS, ROUNDS);
      Samples yardstick = got.bare().plus(got.lookup());
      table.row(
          "p50",
          Unit.MICROSECONDS,
          got.asked(),
          Baseline.of("bare JeroMQ, and the lookup", Unit.MICROSECONDS, yardstick));
      table.atMost(1.5, "  of both", Unit.TIMES, got.asked().over(yardstick), Baseline.NONE);
    }
  }

  private void lookup(String what, Samples nanos, Samples bare) {
    table.row(
        what, Unit.MICROSECONDS, nanos, Baseline.of("bare map's probes", Unit.MICROSECONDS, bare));
    table.atMost(3, "  of the bare map's time", Unit.TIMES, nanos.over(bare), Baseline.NONE);
  }

  private void drops() throws InterruptedException {
    table.section("A worker of 1,000,000 chunks goes down, of 10");
    DropRounds.Nanos got = new DropRounds(new FilledIndex(WORKERS, 1_000_000)).measure(ROUNDS);
    table.atMost(1e6, "out of all answers", Unit.MILLISECONDS, got.drop(), Baseline.NONE);
    table.row("swept afterwards, in all", Unit.MILLISECONDS, got.sweep(), Baseline.NONE);
    table.row("  longest step of it", Unit.MILLISECONDS, got.longestStep(), Baseline.NONE);
    table.section("Prefixes of 100 chunks beside a writer that never stops, 1,000,000 placements");
    BesideWriter.Outcome beside = new BesideWriter(new FilledIndex(WORKERS, 100_000)).measure();
    table.row("p50", Unit.MICROSECONDS, Samples.of(beside.p50Nanos()), Baseline.NONE);
    table.row("p99", Unit.MICROSECONDS, Samples.of(beside.p99Nanos()), Baseline.NONE);
    table.row(
        "operations beside it",
        Unit.THOUSAND_A_SECOND,
        Samples.of(beside.operationsPerSecond()),
        Baseline.NONE);
    table.line("wrong answers: %d of %,d".formatted(beside.wrong(), beside.lookups()));
  }

  private void bytes(int millions) {
    int placements = millions * 1_000_000;
    table.section("What %,d placements keep on the heap, a placement".formatted(placements));
    double index = bytesOf(() -> new FilledIndex(WORKERS, placements / WORKERS)) / placements;
    double map = bytesOf(() -> bareMap(placements)) / placements;
    table.atMost(
        24,
        "index",
        Unit.BYTES,
        Samples.of(index),
        Baseline.of("bare map", Unit.BYTES, Samples.of(map)));
  }

  private static Long2IntOpenHashMap bareMap(int entries) {
    Long2IntOpenHashMap bare = new Long2IntOpenHashMap();
    for (int i = 0; i < entries; i++) {
      bare.put(Fleet.hash(0, i), 1);
    }
    return bare;
  }

  private static double bytesOf(Supplier<Object> made) {
    long before = usedBytes();
    Object held = made.get();
    try {
      return (double) (usedBytes() - before);
    } finally {
      Reference.reachabilityFence(held);
    }
  }

  private static long usedBytes() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
