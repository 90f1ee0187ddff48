package io.kvmesh.controller.index;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Which worker holds which chunk. Hashes are the 64 bits of {@code ChunkHash.bits()}.
 *
 * <p>Reads may come from any thread and see each chunk as of some moment not before the call; they
 * never wait for a writer of the view in memory. {@link #apply} is for ingest alone; records of one
 * worker come in the log's order.
 */
public interface ChunkIndex {

  /** Makes the change as a whole, or refuses it and changes nothing. */
  ChangeOutcome apply(WorkerChange change);

  /** Number of chunks, without a gap from the first, that the worker holds at the location. */
  int prefix(WorkerId worker, String location, Keyspace keyspace, long[] hashBits);

  /**
   * Every eligible worker's location that holds the first chunk, with the length of its prefix;
   * longest first. The predicate is asked once per holder of the first chunk.
   */
  List<PrefixMatch> prefixes(Keyspace keyspace, long[] hashBits, Predicate<WorkerId> eligible);

  /** All that hold the chunk, in no order. */
  List<Placement> holders(Keyspace keyspace, long hashBits);

  /** What the worker holds at the location. */
  KeyTotals totals(WorkerId worker, String location);

  /** What the worker holds. */
  KeyTotals totals(WorkerId worker);

  /** Number of placements of each keyspace that has any. */
  Map<Keyspace, Long> countByKeyspace();
}
