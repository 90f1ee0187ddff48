package io.kvmesh.benchmarks.cache;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import java.util.List;

/** Chunks by number: each number has a hash of 64 bits, spread evenly and never zero. */
final class ChunkNumbers {

  private static final Keyspace KEYSPACE = Keyspace.of("benchmark", 1, 0, "bfloat16", List.of());

  private ChunkNumbers() {}

  static long hash(long number) {
    long hash = PlacementDigest.mix(0, number);
    return hash == 0 ? 1 : hash;
  }

  static ChunkKey key(long hash) {
    return new ChunkKey(KEYSPACE, ChunkHash.ofUnsigned(hash));
  }
}
