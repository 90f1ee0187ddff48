package io.kvmesh.quickstart.report;

import io.kvmesh.quickstart.options.Options;
import io.kvmesh.quickstart.replay.Latency;
import io.kvmesh.quickstart.replay.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The outcome for people. */
public final class ResultTable {

  private ResultTable() {}

  /** Several lines, the last with its line break. */
  public static String format(Options options, String workload, Outcome outcome) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %,d workers, room for %,d chunks of %,d bytes each, %s",
            workload,
            options.workers(),
            options.chunks(),
            options.pageBytes(),
            options.policy().settingName()));
    lines.add("");
    counts(lines, outcome);
    lines.add("");
    lines.add(String.format("  %-16s %12s %12s %10s", "", "p50", "p99", "samples"));
    lines.add(latency("lookup", outcome.lookup()));
    lines.add(latency("pull", outcome.pull()));
    lines.add(latency("event lag", outcome.eventLag()));
    return String.join("\n", lines) + "\n";
  }

  private static void counts(List<String> lines, Outcome outcome) {
    lines.add(count("requests", outcome.requests(), seconds(outcome.wallNanos())));
    lines.add(count("chunks", outcome.chunks(), ""));
    lines.add(count("local hits", outcome.local(), share(outcome.local(), outcome.chunks())));
    lines.add(count("peer hits", outcome.peer(), share(outcome.peer(), outcome.chunks())));
    lines.add(count("misses", outcome.miss(), share(outcome.miss(), outcome.chunks())));
    lines.add(count("not stored", outcome.notStored(), ""));
    lines.add(count("evictions", outcome.evictions(), ""));
    lines.add(count("resident", outcome.resident(), ""));
    lines.add(count("bytes pulled", outcome.bytesPulled(), ""));
    lines.add(count("bodies checked", outcome.bodiesChecked(), "all right"));
  }

  private static String count(String name, long value, String note) {
    return String.format(Locale.ROOT, "  %-16s %,16d  %s", name, value, note).stripTrailing();
  }

  private static String latency(String name, Latency latency) {
    return String.format(
        Locale.ROOT,
        "  %-16s %9.2f ms %9.2f ms %,10d",
        name,
        latency.p50Nanos() / 1e6,
        latency.p99Nanos() / 1e6,
        latency.count());
  }

  private static String share(long part, long whole) {
    return whole == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "in %.1f s", nanos / 1e9);
  }
}
