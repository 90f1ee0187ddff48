package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.PlacementDigest;
import java.util.List;

/**
 * Guesses which slots the keys of a request have, so many keys at a time that what the table and
 * the records say of them is fetched side by side: most of it is cold, and lookups one by one would
 * wait for each. One thread's own.
 *
 * <p>It needs no lock, so that whoever wants it can guess before taking it. A guess is then of any
 * moment, or of none: a slot of any chunk, or no slot at all. Who has the lock checks each.
 */
final class ColdLookups {

  /** As many as processors fetch at once, several times over. */
  static final int MOST = 64;

  private final ChunkTable table;
  private final ChunkRecords records;
  private final long[] mixes;
  private final int[] slots;

  /** Keeps what is read from being left out by the compiler. */
  @SuppressWarnings("UnusedVariable")
  private long touched;

  ColdLookups(ChunkTable table, ChunkRecords records, int keys) {
    this.table = table;
    this.records = records;
    this.mixes = new long[Math.min(keys, MOST)];
    this.slots = new int[mixes.length];
  }

  /** Guesses for the next keys, MOST or all that are left. */
  void guess(List<ChunkKey> keys, int from) {
    int count = Math.min(keys.size() - from, MOST);
    long sum = 0;
    for (int i = 0; i < count; i++) {
      ChunkKey key = keys.get(from + i);
      mixes[i] = PlacementDigest.mix(key.keyspace().digest(), key.hash().bits());
      sum += table.entryAtHome(mixes[i]);
    }
    for (int i = 0; i < count; i++) {
      slots[i] = table.guess(mixes[i]);
      sum += slots[i] == ChunkTable.NOT_FOUND ? 0 : records.hashBits(slots[i]);
    }
    touched = sum;
  }

  /** The key's mix, by its place among those guessed for. */
  long mix(int index) {
    return mixes[index];
  }

  /** A slot number, or NOT_FOUND. */
  int slot(int index) {
    return slots[index];
  }
}
