package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.CacheEventSink;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.common.key.Keyspace;

/** Numbers the cache's events and keeps them until they are sent; bounded. */
public final class EventOutbox implements CacheEventSink {

  private long sequence;

  /** An outbox for so many events. */
  public EventOutbox(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("An outbox holds at least 1 event, got " + capacity);
    }
  }

  @Override
  public synchronized long admitted(Keyspace keyspace, long hashBits) {
    return ++sequence;
  }

  @Override
  public synchronized long evicted(Keyspace keyspace, long hashBits, RemovalCause cause) {
    return ++sequence;
  }

  @Override
  public synchronized long sequence() {
    return sequence;
  }
}
