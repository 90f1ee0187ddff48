package io.kvmesh.quickstart.report;

import io.kvmesh.quickstart.simulate.HitTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The hit table for people. */
public final class SimulationTable {

  private SimulationTable() {}

  /** Several lines, the last with its line break. */
  public static String format(HitTable table) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %,d requests, %,d chunks, %,d of them different, through one cache",
            table.workload(),
            table.requests(),
            table.chunks(),
            table.distinct()));
    lines.add("");
    StringBuilder head = new StringBuilder(name("room for"));
    table.sizes().forEach(size -> head.append(String.format(Locale.ROOT, "%,19d", size)));
    lines.add(head.toString());
    table.rows().forEach(row -> lines.add(line(row, table.chunks())));
    lines.add("");
    long repeated = table.chunks() - table.distinct();
    lines.add(
        String.format(
            Locale.ROOT,
            "  Hits, and their share of all chunks. With room for all: %,d, %.1f %%.",
            repeated,
            share(repeated, table.chunks())));
    return String.join("\n", lines) + "\n";
  }

  private static String line(HitTable.Row row, long chunks) {
    StringBuilder line = new StringBuilder(name(row.policy()));
    for (long hits : row.hits()) {
      line.append(String.format(Locale.ROOT, "%,11d %5.1f %%", hits, share(hits, chunks)));
    }
    return line.toString();
  }

  private static String name(String name) {
    return String.format("  %-10s", name);
  }

  private static double share(long part, long whole) {
    return whole == 0 ? 0 : 100.0 * part / whole;
  }
}
