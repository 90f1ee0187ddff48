package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The leases of a cache: gives them out, has what they read, and takes them back. Any thread. */
final class ChunkLeases {

  private final ChunkCache cache;
  private final ReentrantLock lock;
  private final ChunkMemory memory;
  private final LayerSlices layers;
  private final ChunkRecords records;

  @GuardedBy("lock")
  private final ResidentSet resident;

  @GuardedBy("lock")
  private final ClaimDesk desk;

  @GuardedBy("lock")
  private final CacheCounters counters;

  ChunkLeases(
      ChunkCache cache,
      ReentrantLock lock,
      ChunkMemory memory,
      LayerSlices layers,
      ResidentSet resident,
      ClaimDesk desk,
      CacheCounters counters) {
    this.cache = cache;
    this.lock = lock;
    this.memory = memory;
    this.layers = layers;
    this.records = resident.records();
    this.resident = resident;
    this.desk = desk;
    this.counters = counters;
  }

  /** One that holds nothing yet. */
  ChunkLease empty() {
    return new ChunkLease(cache, 0);
  }

  /** See ChunkCache. */
  ChunkLease prefix(List<ChunkKey> keys, Set<CompressionMethod> asTheyLie) {
    ChunkLease lease = new ChunkLease(cache, keys.size());
    ColdLookups guesses = guessesAt(keys);
    lock.lock();
    try {
      resident.holdPrefix(keys, guesses, lease);
      desk.makeReadable(lease, asTheyLie);
      counters.looked(keys.size(), lease.size());
    } finally {
      lock.unlock();
    }
    cache.packer().makeReadable(lease);
    return lease;
  }

  @SuppressWarnings("GuardedBy") // guesses need no lock
  private ColdLookups guessesAt(List<ChunkKey> keys) {
    ColdLookups guesses = resident.lookups(keys.size());
    guesses.guess(keys, 0);
    return guesses;
  }

  /** See ChunkCache. */
  void touch(ChunkLease lease, int count) {
    lock.lock();
    try {
      lease.requireOpenIn(cache);
      if (count < 0 || count > lease.size()) {
        throw new IndexOutOfBoundsException(
            "The lease holds %d chunks, asked to touch %d".formatted(lease.size(), count));
      }
      for (int i = count - 1; i >= 0; i--) {
        resident.use(lease.slotAt(i));
      }
    } finally {
      lock.unlock();
    }
  }

  /** The end of a lease. */
  void release(ChunkLease lease) {
    lock.lock();
    try {
      if (lease.markClosed()) {
        for (int i = 0; i < lease.size(); i++) {
          if (lease.packedAt(i) != null) {
            resident.packed().doneReading(lease.slotAt(i));
          }
          resident.letGo(lease.slotAt(i));
        }
        cache.moves().letGo();
        desk.serve();
      }
    } finally {
      lock.unlock();
    }
  }

  /** For chunks that are held, whose records don't change. */
  ChunkRecords records() {
    return records;
  }

  LayerSlices layers() {
    return layers;
  }

  ChunkKey key(int heldSlot) {
    lock.lock();
    try {
      return new ChunkKey(resident.keyspace(heldSlot), records.hash(heldSlot));
    } finally {
      lock.unlock();
    }
  }

  MemorySegment body(int place, int bytes) {
    return memory.body(place, bytes);
  }

  ChunkMemory memory() {
    return memory;
  }
}
