package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The chunks of KV cache that this agent keeps in memory, each in a page of its own. Safe for any
 * thread; one lock guards everything, and no body is copied or summed up under it.
 *
 * <p>Memory is claimed, filled, and then committed or aborted; it is read through leases. A chunk
 * that a lease holds is neither evicted, removed nor cleared. Its page is freed once, after its
 * last lease. Each chunk that becomes or ceases to be resident is one event, numbered and passed to
 * the sink under the lock: the order of events is the order of states.
 *
 * <p>Only {@link #touch} and {@link #commit} are uses in the sense of the policy. Nothing waits: a
 * claim that finds no room says so.
 */
public final class ChunkCache {

  /** From {@link #snapshotSlice}: there are no further chunks. */
  public static final int END_OF_SLOTS = -1;

  /** Bounds what a slice of a snapshot looks at under the lock where few slots are in use. */
  private static final int SLOTS_PER_KEY = 16;

  private final PageAllocator memory;
  private final ChunkRecords records;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final PageAllocator pages;

  @GuardedBy("lock")
  private final ResidentSet resident;

  @GuardedBy("lock")
  private final CacheCounters counters = new CacheCounters();

  /**
   * A cache without chunks.
   *
   * @param pages from now on only this cache gives them out and frees them
   * @param policy made for as many slots as there are pages
   * @param sink hears of each change under the lock
   */
  public ChunkCache(PageAllocator pages, EvictionPolicy policy, CacheEventSink sink) {
    this.memory = pages;
    this.pages = pages;
    this.resident = new ResidentSet(pages, policy, sink);
    this.records = resident.records();
  }

  /** A lease that holds nothing yet. */
  public ChunkLease newLease() {
    return new ChunkLease(this, 0);
  }

  /** Holds the longest resident prefix of the keys, found in one step. It isn't a use. */
  public ChunkLease leasePrefix(List<ChunkKey> keys) {
    ChunkLease lease = new ChunkLease(this, keys.size());
    lock.lock();
    try {
      resident.holdPrefix(keys, lease);
      counters.looked(keys.size(), lease.size());
    } finally {
      lock.unlock();
    }
    return lease;
  }

  /** A use of the first {@code count} chunks of the lease, the last one first. */
  public void touch(ChunkLease lease, int count) {
    lock.lock();
    try {
      lease.requireOpenIn(this);
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

  /**
   * Holds the chunk if it is resident; otherwise finds a page for it, evicting at most one chunk.
   *
   * @param bytes length of the body
   * @param tokens number of tokens that the chunk stands for
   * @param into holds the chunk if it is resident
   * @throws IllegalStateException if the lease is closed
   */
  public Claim claim(ChunkKey key, int bytes, int tokens, ChunkLease into) {
    if (bytes < 1 || tokens < 0) {
      throw new IllegalArgumentException(
          "A chunk has at least 1 byte and 0 tokens, got %d and %d".formatted(bytes, tokens));
    }
    lock.lock();
    try {
      into.requireOpenIn(this);
      int slot = resident.find(key);
      if (slot != ChunkTable.NOT_FOUND) {
        counters.alreadyResident++;
        holdLocked(slot, into);
        return new Claim.Resident();
      }
      if (bytes > pages.pageBytes()) {
        counters.tooLarge++;
        return new Claim.TooLarge();
      }
      int page = allocateLocked();
      if (page < 0) {
        counters.noSpace++;
        return new Claim.NoSpace();
      }
      counters.pending++;
      return new Claim.Claimed(new PendingChunk(this, key, page, bytes, tokens));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int allocateLocked() {
    int page = pages.tryAllocate();
    return page < 0 && resident.evictOne() ? pages.tryAllocate() : page;
  }

  /**
   * Makes a filled chunk visible and holds it. If its key has become resident meanwhile, that chunk
   * stays and is held instead. The body is summed up before the lock is taken.
   *
   * @throws IllegalStateException if the lease is closed, the page then being free again; or if the
   *     chunk was committed or aborted before
   */
  public CommitOutcome commit(PendingChunk chunk, ChunkLease into) {
    return commit(chunk, ChunkChecksum.of(chunk.body()), into);
  }

  /** As above, for a body whose checksum is known because it has just been checked. */
  public CommitOutcome commit(PendingChunk chunk, long checksum, ChunkLease into) {
    lock.lock();
    try {
      settleLocked(chunk);
      if (into.isClosed()) {
        pages.free(chunk.page());
        counters.aborted++;
      }
      into.requireOpenIn(this);
      int slot = resident.find(chunk.key());
      if (slot != ChunkTable.NOT_FOUND) {
        pages.free(chunk.page());
        counters.alreadyResident++;
        holdLocked(slot, into);
        return CommitOutcome.RESIDENT;
      }
      holdLocked(resident.admit(chunk, checksum), into);
      return CommitOutcome.STORED;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a claimed page back.
   *
   * @throws IllegalStateException if the chunk was committed or aborted before
   */
  public void abort(PendingChunk chunk) {
    lock.lock();
    try {
      settleLocked(chunk);
      pages.free(chunk.page());
      counters.aborted++;
    } finally {
      lock.unlock();
    }
  }

  /** Removes the chunk if it is resident and no lease holds it; answers whether it did. */
  public boolean remove(ChunkKey key, RemovalCause cause) {
    lock.lock();
    try {
      int slot = resident.find(key);
      return slot != ChunkTable.NOT_FOUND && resident.removeUnlessHeld(slot, cause);
    } finally {
      lock.unlock();
    }
  }

  /** Removes every chunk that no lease holds, in one step. */
  public Cleared clear() {
    lock.lock();
    try {
      return resident.clear();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes every chunk. Those that a lease holds are no longer found either, but keep their pages
   * until the lease is closed.
   */
  public void shutdown() {
    lock.lock();
    try {
      resident.removeAll(RemovalCause.SHUTDOWN);
    } finally {
      lock.unlock();
    }
  }

  /** The contents in short: number of the last event, how many chunks, their digest. */
  public LogPosition position() {
    lock.lock();
    try {
      return resident.position();
    } finally {
      lock.unlock();
    }
  }

  /** Passes the position to somebody who must see it before anything changes: under the lock. */
  public void withPosition(Consumer<LogPosition> underLock) {
    lock.lock();
    try {
      underLock.accept(resident.position());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Cuts the next slice of a walk over all chunks in the order of their slots. A chunk keeps its
   * slot while it is resident; one that comes into a slot already passed is an event after the
   * start of the walk. A slice may be empty.
   *
   * @param fromSlot 0, then what the call before answered
   * @param maxKeys bounds the slice, and with it how long the lock is held
   * @param underLock gets the slice before anything else changes
   * @return where the next slice begins, or {@link #END_OF_SLOTS}
   */
  public int snapshotSlice(int fromSlot, int maxKeys, Consumer<SnapshotSlice> underLock) {
    lock.lock();
    try {
      SnapshotSlice slice = new SnapshotSlice(resident.position());
      int next = resident.cut(fromSlot, maxKeys, SLOTS_PER_KEY * maxKeys, slice);
      underLock.accept(slice);
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** All figures, of one moment. */
  public CacheStats stats() {
    lock.lock();
    try {
      return new CacheStats(
          pages.pageBytes(),
          pages.capacity(),
          pages.freePages(),
          resident.residentChunks(),
          resident.residentBytes(),
          resident.heldChunks(),
          counters.pending,
          resident.detachedChunks(),
          counters.lookups,
          counters.lookedUp,
          counters.hits,
          resident.admitted(),
          resident.removedByCause(),
          counters.alreadyResident,
          counters.noSpace,
          counters.tooLarge,
          counters.aborted);
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
          resident.letGo(lease.slotAt(i));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** For chunks that are held, whose records don't change. */
  ChunkRecords records() {
    return records;
  }

  ChunkKey key(int heldSlot) {
    lock.lock();
    try {
      return new ChunkKey(resident.keyspace(heldSlot), records.hash(heldSlot));
    } finally {
      lock.unlock();
    }
  }

  MemorySegment body(int page, int bytes) {
    return memory.segment(page).asSlice(0, bytes);
  }

  @GuardedBy("lock")
  private void holdLocked(int slot, ChunkLease lease) {
    resident.hold(slot);
    lease.add(slot);
  }

  @GuardedBy("lock")
  private void settleLocked(PendingChunk chunk) {
    chunk.settle(this);
    counters.pending--;
  }
}
