package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.PlacementDigest;
import java.util.HashSet;
import java.util.Set;

/** Replays the events: what they say is resident, and its digest. */
final class RecordingSink implements CacheEventSink {

  final Set<ChunkKey> resident = new HashSet<>();
  long digest;
  private long sequence;

  @Override
  public long admitted(Keyspace keyspace, long hashBits) {
    if (!resident.add(new ChunkKey(keyspace, ChunkHash.ofUnsigned(hashBits)))) {
      throw new AssertionError("admitted twice: " + hashBits);
    }
    digest += PlacementDigest.mix(keyspace.digest(), hashBits);
    return ++sequence;
  }

  @Override
  public long evicted(Keyspace keyspace, long hashBits, RemovalCause cause) {
    if (!resident.remove(new ChunkKey(keyspace, ChunkHash.ofUnsigned(hashBits)))) {
      throw new AssertionError("evicted though not admitted: " + hashBits);
    }
    digest -= PlacementDigest.mix(keyspace.digest(), hashBits);
    return ++sequence;
  }

  @Override
  public long sequence() {
    return sequence;
  }
}
