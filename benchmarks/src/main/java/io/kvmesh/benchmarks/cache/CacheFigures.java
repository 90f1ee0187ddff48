package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.benchmarks.figures.FigureTable;
import io.kvmesh.benchmarks.figures.FigureTable.Baseline;
import io.kvmesh.benchmarks.figures.Samples;
import io.kvmesh.benchmarks.figures.Unit;
import java.util.Locale;
import org.openjdk.jmh.runner.RunnerException;

/** Measures the cache and prints one table. */
public final class CacheFigures {

  private static final int MIB = 1 << 20;

  private final FigureTable table = new FigureTable(System.out);

  private CacheFigures() {}

  /** Takes some three minutes on two cores, which it needs for itself. */
  public static void run() throws Exception {
    CacheFigures figures = new CacheFigures();
    figures.lookups();
    figures.lookupsBesideStores();
    figures.calls();
    figures.stores();
    figures.python();
    figures.copies(MIB);
    figures.copies(4 * MIB);
    figures.records();
  }

  private void lookups() throws RunnerException {
    Measured got = Measured.of(LookupRounds.class);
    Samples lease = got.get("lease");
    Samples probe = got.get("probe");
    Samples both = lease.plus(got.get("close"));
    table.section("64 keys at random of 1,000,000 chunks");
    table.row(
        "leasePrefix, one thread",
        Unit.MICROSECONDS,
        lease,
        Baseline.of("64 probes of a bare table", Unit.MICROSECONDS, probe));
    table.atMost(3, "  so many times the probes", Unit.TIMES, lease.over(probe), Baseline.NONE);
    table.row("leasePrefix and close, one thread", Unit.MICROSECONDS, both, Baseline.NONE);
    table.atLeast(
        0.75,
        "  two threads together, of one",
        Unit.TIMES,
        both.over(got.get("leaseAndCloseOfTwo")),
        Baseline.of(
            "bare, locked", Unit.TIMES, got.get("lockedProbe").over(got.get("lockedProbeOfTwo"))));
    table.row(
        "  two threads of one in the table, no lock",
        Unit.TIMES,
        probe.over(got.get("probeOfTwo")),
        Baseline.NONE);
  }

  private void lookupsBesideStores() throws RunnerException {
    Measured got = Measured.of(ContendedRounds.class);
    table.section("leasePrefix of 64 keys while another thread stores, each store evicting one");
    table.row(
        "p50", Unit.MICROSECONDS, got.get("besideP50"), micros("bare, locked", got, "bareP50"));
    table.atMost(
        100_000,
        "p99",
        Unit.MICROSECONDS,
        got.get("besideP99"),
        micros("bare, locked", got, "bareP99"));
    table.row(
        "longest",
        Unit.MICROSECONDS,
        got.get("besideMost"),
        micros("bare, locked", got, "bareMost"));
    table.row("p50 while nobody stores", Unit.MICROSECONDS, got.get("aloneP50"), Baseline.NONE);
    table.row("p99 while nobody stores", Unit.MICROSECONDS, got.get("aloneP99"), Baseline.NONE);
    table.row(
        "the other's stores",
        Unit.THOUSAND_A_SECOND,
        got.get("store").perSecond(),
        Baseline.of("bare, locked", Unit.THOUSAND_A_SECOND, got.get("bareStore").perSecond()));
  }

  private static Baseline micros(String name, Measured got, String figure) {
    return Baseline.of(name, Unit.MICROSECONDS, got.get(figure));
  }

  private void calls() throws RunnerException {
    Measured got = Measured.of(CallRounds.class);
    table.section(
        "A call at 1,000,000 chunks where nobody else wants the lock (medians of a round)");
    table.row("leasePrefix of 64", Unit.NANOSECONDS, got.get("lookup"), clock(got));
    table.row("  its close", Unit.NANOSECONDS, got.get("lookupClose"), clock(got));
    table.row("claim of 1, evicting", Unit.NANOSECONDS, got.get("claim"), clock(got));
    table.row("  its commit", Unit.NANOSECONDS, got.get("commit"), clock(got));
    table.row("  its close", Unit.NANOSECONDS, got.get("close"), clock(got));
    table.row("claim of 64, evicting", Unit.NANOSECONDS, got.get("batchClaim"), clock(got));
    table.row("  their commit", Unit.NANOSECONDS, got.get("batchCommit"), clock(got));
    table.row("  their close", Unit.NANOSECONDS, got.get("batchClose"), clock(got));
    table.row("a snapshot's slice of 1,000", Unit.NANOSECONDS, got.get("slice"), clock(got));
  }

  private static Baseline clock(Measured got) {
    return Baseline.of("reading the clock", Unit.NANOSECONDS, got.get("clock"));
  }

  private void stores() throws RunnerException {
    table.section("Stores at a full cache, bodies not copied");
    Stores smallest = stores(10_000);
    stores(100_000);
    Stores largest = stores(1_000_000);
    table.row(
        "1,000,000 chunks, of 10,000",
        Unit.TIMES,
        largest.each().medianOver(smallest.each()),
        Baseline.of("table and ring", Unit.TIMES, largest.bare().medianOver(smallest.bare())));
  }

  /** How many a second, one by one. */
  private record Stores(Samples each, Samples bare) {}

  private Stores stores(int chunks) throws RunnerException {
    Measured got = Measured.of(StoreRounds.class, "chunks", chunks);
    Samples one = got.get("oneNanos").perSecond();
    Samples bareOne = got.get("bareNanos").perSecond();
    Baseline bare = Baseline.of("table and ring", Unit.THOUSAND_A_SECOND, bareOne);
    String of = "%,d chunks: ".formatted(chunks);
    table.atLeast(500_000, of + "one by one", Unit.THOUSAND_A_SECOND, one, bare);
    table.atMost(100, "  garbage a store", Unit.BYTES, got.get("oneGarbageBytes"), Baseline.NONE);
    table.atLeast(
        500_000,
        of + "64 at once",
        Unit.THOUSAND_A_SECOND,
        got.get("batchNanos").perSecond(),
        bare);
    table.atMost(100, "  garbage a store", Unit.BYTES, got.get("batchGarbageBytes"), Baseline.NONE);
    return new Stores(one, bareOne);
  }

  private void python() throws Exception {
    table.section("A request: 64 keys looked up, held, used, let go; 64 stored, each evicting one");
    String version = OrderedDict.version();
    if (version.isEmpty()) {
      table.line("not measured beside Python: there is no python3 here");
      return;
    }
    Measured got = Measured.of(PythonRounds.class);
    Samples cache = got.get("cache");
    Samples python = got.get("python");
    table.row(
        "1,000,000 chunks",
        Unit.MICROSECONDS,
        cache,
        Baseline.of("OrderedDict, Python " + version, Unit.MICROSECONDS, python));
    table.row("  so many times as fast", Unit.TIMES, python.over(cache), Baseline.NONE);
  }

  private void copies(int bytes) throws RunnerException {
    Measured got = Measured.of(CopyRounds.class, "chunkBytes", bytes);
    table.section("Bodies of %d MiB".formatted(bytes / MIB));
    copies("claim, copy in, commit, close", got.get("in"), got.get("bareIn"), bytes);
    copies("leasePrefix, copy out, close", got.get("out"), got.get("bareOut"), bytes);
    Samples checksum = got.get("checksum");
    table.row(
        "checksum of a body just copied",
        Unit.GIGABYTES_A_SECOND,
        checksum.map(nanos -> bytes / nanos),
        Baseline.NONE);
    table.row("  of the copy's time", Unit.TIMES, checksum.over(got.get("bareIn")), Baseline.NONE);
  }

  private void copies(String what, Samples nanos, Samples bare, int bytes) {
    table.row(
        what,
        Unit.GIGABYTES_A_SECOND,
        nanos.map(n -> bytes / n),
        Baseline.of("MemorySegment.copy", Unit.GIGABYTES_A_SECOND, bare.map(n -> bytes / n)));
    table.atLeast(0.9, "  of the copy alone", Unit.TIMES, bare.over(nanos), Baseline.NONE);
  }

  private void records() throws RunnerException {
    table.section("What 1,000,000 chunks keep on the heap, a chunk");
    for (PolicyName policy : PolicyName.values()) {
      Measured got = Measured.of(RecordRounds.class, "policy", policy.name());
      String name = policy.name().toLowerCase(Locale.ROOT);
      table.atMost(
          150,
          name,
          Unit.BYTES,
          got.get("bytes"),
          Baseline.of("table and ring", Unit.BYTES, got.get("bareBytes")));
      table.row("  clear, under the lock", Unit.MILLISECONDS, got.get("clearNanos"), Baseline.NONE);
    }
  }
}
