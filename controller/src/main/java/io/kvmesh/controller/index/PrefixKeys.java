package io.kvmesh.controller.index;

/**
 * The keys of a prefix, asked for in order. The entries of the next ones are fetched with them, few
 * at first: most prefixes that nobody holds end at once.
 */
final class PrefixKeys {

  private static final int FIRST = 8;

  private final PlacementTable table;
  private final long keyspaceDigest;
  private final long[] hashBits;
  private long[] block = {};
  private int from;
  private int next = FIRST;

  PrefixKeys(PlacementTable table, long keyspaceDigest, long[] hashBits) {
    this.table = table;
    this.keyspaceDigest = keyspaceDigest;
    this.hashBits = hashBits;
  }

  int size() {
    return hashBits.length;
  }

  /** The key at the index, which is the last one asked for or the one after it. */
  long at(int index) {
    if (index == from + block.length) {
      from = index;
      block = table.fetch(keyspaceDigest, hashBits, index, next);
      next = Math.min(2 * next, PlacementTable.FETCHED);
    }
    return block[index - from];
  }
}
