package io.kvmesh.benchmarks;

import io.kvmesh.agent.cache.CacheEventSink;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.Keyspace;

/** Numbers events and forgets them. */
public final class NumberedEvents implements CacheEventSink {

  private long sequence;

  @Override
  public long admitted(Keyspace keyspace, long hashBits) {
    return ++sequence;
  }

  @Override
  public long evicted(Keyspace keyspace, long hashBits, RemovalCause cause) {
    return ++sequence;
  }

  @Override
  public long sequence() {
    return sequence;
  }
}
