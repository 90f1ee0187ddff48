package io.kvmesh.agent.cache;

import io.kvmesh.common.key.Keyspace;

/**
 * Hears of every chunk that becomes resident or ceases to be, in that order. Called under the
 * cache's lock: it neither blocks nor calls back. Events are numbered from 1. A hash is told by its
 * 64 bits, a wide one by its first eight bytes, as indexes know it.
 */
public interface CacheEventSink {

  /** A chunk became resident; the answer is the number of this event. */
  long admitted(Keyspace keyspace, long hashBits);

  /** A chunk ceased to be resident; the answer is the number of this event. */
  long evicted(Keyspace keyspace, long hashBits, RemovalCause cause);

  /** The number of the last event, 0 before the first. */
  long sequence();
}
