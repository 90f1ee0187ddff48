package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.Keyspace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some resident chunks, cut out of the cache in one step in the order of their slots, and what the
 * cache was like at that moment. Not changed once it is cut.
 */
public final class SnapshotSlice {

  private final Map<Keyspace, List<ChunkHash>> chunks = new LinkedHashMap<>();
  private final LogPosition position;
  private int size;

  SnapshotSlice(LogPosition position) {
    this.position = position;
  }

  /** The chunks by keyspace. */
  public Map<Keyspace, List<ChunkHash>> chunks() {
    return Collections.unmodifiableMap(chunks);
  }

  /** Number of chunks. */
  public int size() {
    return size;
  }

  /** The cache at the moment of the cut. */
  public LogPosition position() {
    return position;
  }

  void add(Keyspace keyspace, long hashBits) {
    chunks
        .computeIfAbsent(keyspace, unseen -> new ArrayList<>())
        .add(ChunkHash.ofUnsigned(hashBits));
    size++;
  }
}
