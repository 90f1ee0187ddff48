package io.kvmesh.agent.cache;

import io.kvmesh.common.key.Keyspace;

/** Numbers events and forgets them. */
final class NumberingSink implements CacheEventSink {

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
