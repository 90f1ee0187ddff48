package io.kvmesh.quickstart.simulate;

import java.util.List;

/**
 * Hits by policy and size of the cache.
 *
 * @param workload its name
 * @param requests how many there were
 * @param chunks in all requests
 * @param distinct different ones of them; {@code chunks − distinct} is what a cache without bound
 *     hits
 * @param sizes of the cache, in chunks
 * @param rows one for each policy, and the optimum last
 */
public record HitTable(
    String workload, int requests, long chunks, int distinct, List<Integer> sizes, List<Row> rows) {

  /** The name of the row of a cache that knows the future. */
  public static final String OPTIMUM = "optimum";

  public HitTable {
    sizes = List.copyOf(sizes);
    rows = List.copyOf(rows);
  }

  /**
   * One policy.
   *
   * @param policy its name in the settings
   * @param hits one for each size
   */
  public record Row(String policy, List<Long> hits) {

    public Row {
      hits = List.copyOf(hits);
    }
  }
}
