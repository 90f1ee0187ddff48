package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.common.key.ChunkKey;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The chunks of KV cache that this agent keeps in memory. Safe for any thread; one lock guards
 * everything, and no body is copied or summed up under it.
 *
 * <p>Memory is claimed, filled, and then committed or aborted; it is read through leases. A chunk
 * that a lease holds is neither evicted, removed nor cleared. Its memory is freed once, after its
 * last lease. Each chunk that becomes or ceases to be resident is one event, numbered and passed to
 * the sink under the lock: the order of events is the order of states.
 *
 * <p>Only {@link #touch} and {@link #commit} are uses in the sense of the policy. The lock is held
 * for the whole of a call, however long its list is; {@link #clear} and {@link #shutdown} look at
 * every slot.
 */
public final class ChunkCache {

  private final ChunkMemory memory;
  private final Keeping keeping;
  private final ChunkLeases leases;
  private final ChunkPins pins;
  private final CacheSnapshots snapshots;
  private final ChunkMoves moves;
  private final ChunkPacker packer;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final ResidentSet resident;

  @GuardedBy("lock")
  private final ClaimDesk desk;

  @GuardedBy("lock")
  private final PinBook pinBook;

  @GuardedBy("lock")
  private final CacheFigures figures;

  @GuardedBy("lock")
  private final CacheCounters counters = new CacheCounters();

  /**
   * A cache without chunks, with the default options.
   *
   * @param policy made for as many slots as there are pages
   * @param sink hears of each change under the lock
   */
  public ChunkCache(PageAllocator pages, EvictionPolicy policy, CacheEventSink sink) {
    this(ChunkMemory.paged(pages), policy, sink, CacheOptions.DEFAULT, System::nanoTime);
  }

  /** A cache without chunks, whose chunks aren't compressed. */
  public ChunkCache(
      ChunkMemory memory,
      EvictionPolicy policy,
      CacheEventSink sink,
      CacheOptions options,
      LongSupplier nanoTime) {
    this(memory, PackedRoom.NONE, policy, sink, options, nanoTime);
  }

  /**
   * A cache without chunks.
   *
   * @param packed where the compressed ones lie
   * @param policy made for as many slots as the memory has, and as there may be compressed ones
   * @param sink hears of each change under the lock
   * @param nanoTime clock of the pins' deadlines
   */
  public ChunkCache(
      ChunkMemory memory,
      PackedRoom packed,
      EvictionPolicy policy,
      CacheEventSink sink,
      CacheOptions options,
      LongSupplier nanoTime) {
    this.memory = memory;
    this.keeping = options.keeping();
    this.resident = new ResidentSet(memory, packed, policy, sink);
    this.pinBook = new PinBook(resident, options.pins());
    Places places = new Places(memory, resident, counters, options.bodies());
    this.desk = new ClaimDesk(this, lock, memory, resident, places, counters, options);
    this.packer = new ChunkPacker(this, lock, resident, desk);
    this.figures = new CacheFigures(memory, resident, places, desk, pinBook, packer, counters);
    this.pins = new ChunkPins(lock, pinBook, desk, nanoTime);
    this.snapshots = new CacheSnapshots(lock, resident);
    this.moves = new ChunkMoves(lock, resident, desk);
    LayerSlices layers = new LayerSlices(options.bodies().shape());
    this.leases = new ChunkLeases(this, lock, memory, layers, resident, desk, counters);
  }

  /** What it does with chunks that were committed. */
  public Keeping keeping() {
    return keeping;
  }

  /** Its chunks' pins. */
  public ChunkPins pins() {
    return pins;
  }

  /** The view of who tells others about the whole cache. */
  public CacheSnapshots snapshots() {
    return snapshots;
  }

  /** The view of who moves its chunks elsewhere. */
  public ChunkMoves moves() {
    return moves;
  }

  /** The view of who makes its chunks shorter. */
  public ChunkPacker packer() {
    return packer;
  }

  /** A lease that holds nothing yet. */
  public ChunkLease newLease() {
    return leases.empty();
  }

  /** Holds the longest resident prefix of the keys, found in one step. It isn't a use. */
  public ChunkLease leasePrefix(List<ChunkKey> keys) {
    return leases.prefix(keys, Set.of());
  }

  /**
   * As above, but chunks that are compressed by one of these methods aren't written back: the lease
   * has them as they lie, see {@link ChunkLease#stored}.
   */
  public ChunkLease leasePrefix(List<ChunkKey> keys, Set<CompressionMethod> asTheyLie) {
    return leases.prefix(keys, asTheyLie);
  }

  /** A use of the first {@code count} chunks of the lease, the last one first. */
  public void touch(ChunkLease lease, int count) {
    leases.touch(lease, count);
  }

  /**
   * Holds the chunk if it is resident; otherwise finds room for it, evicting where nothing is free.
   *
   * @param bytes length of the body
   * @param tokens number of tokens that the chunk stands for
   * @param into holds the chunk if it is resident
   * @throws IllegalStateException if the lease is closed
   */
  public Claim claim(ChunkKey key, int bytes, int tokens, ChunkLease into) {
    ChunkSpec spec = new ChunkSpec(key, bytes, tokens);
    lock.lock();
    try {
      into.requireOpenIn(this);
      return desk.claim(spec, into);
    } finally {
      lock.unlock();
      packer.makeReadable(into);
    }
  }

  /**
   * Claims a batch in one step, as if one chunk were claimed after the other: what is claimed or
   * held can't be evicted for the next, what is resident may be evicted before its turn comes.
   *
   * @param into holds the chunks that are resident; one that is closed while the batch waits ends
   *     the wait with Closed
   * @return a claim for each chunk, in order
   * @throws IllegalStateException if the lease is closed
   * @throws InterruptedException while it waits; nothing is claimed then
   */
  public List<Claim> claim(List<ChunkSpec> chunks, Reserving how, ChunkLease into)
      throws InterruptedException {
    lock.lock();
    try {
      into.requireOpenIn(this);
      return desk.claim(chunks, how, into);
    } finally {
      lock.unlock();
      packer.makeReadable(into);
    }
  }

  /**
   * Makes a filled chunk visible and holds it. If its key has become resident meanwhile, that chunk
   * stays and is held instead. The body is summed up before the lock is taken.
   *
   * @throws IllegalStateException if the lease is closed, the memory then being free again; or if
   *     the chunk was committed or aborted before
   */
  public CommitOutcome commit(PendingChunk chunk, ChunkLease into) {
    return commit(chunk, ChunkChecksum.of(chunk.body()), into);
  }

  /** As above, for a body whose checksum is known because it has just been checked. */
  public CommitOutcome commit(PendingChunk chunk, long checksum, ChunkLease into) {
    lock.lock();
    try {
      return desk.commit(chunk, checksum, into);
    } finally {
      lock.unlock();
      packer.makeReadable(into);
    }
  }

  /**
   * Commits a batch in one step, in order. The bodies are summed up before the lock is taken.
   *
   * @return an outcome for each chunk, in order
   * @throws IllegalStateException as for one chunk; where the lease is closed, all memory of the
   *     batch is free again
   */
  public List<CommitOutcome> commit(List<PendingChunk> chunks, ChunkLease into) {
    return commit(chunks, ChunkChecksum.ofEach(chunks), into);
  }

  /** As above, for bodies whose checksums are known. */
  public List<CommitOutcome> commit(List<PendingChunk> chunks, long[] checksums, ChunkLease into) {
    lock.lock();
    try {
      return desk.commit(chunks, checksums, into);
    } finally {
      lock.unlock();
      packer.makeReadable(into);
    }
  }

  /**
   * Gives claimed memory back.
   *
   * @throws IllegalStateException if the chunk was committed or aborted before
   */
  public void abort(PendingChunk chunk) {
    abort(List.of(chunk));
  }

  /** Gives back the memory of a batch, in one step. */
  public void abort(List<PendingChunk> chunks) {
    lock.lock();
    try {
      desk.abort(chunks);
    } finally {
      lock.unlock();
    }
  }

  /** Whether the chunk is resident now; isn't a use. */
  public boolean exists(ChunkKey key) {
    lock.lock();
    try {
      return resident.find(key) != ChunkTable.NOT_FOUND;
    } finally {
      lock.unlock();
    }
  }

  /** Removes the chunk if it is resident and no lease holds it; answers whether it did. */
  public boolean remove(ChunkKey key, RemovalCause cause) {
    return remove(key, cause, false);
  }

  /** As above, also where leases hold the chunk: they keep its body, and nobody else finds it. */
  public boolean withdraw(ChunkKey key, RemovalCause cause) {
    return remove(key, cause, true);
  }

  private boolean remove(ChunkKey key, RemovalCause cause, boolean alsoHeld) {
    lock.lock();
    try {
      int slot = resident.find(key);
      boolean removed = slot != ChunkTable.NOT_FOUND && (alsoHeld || !resident.isHeld(slot));
      if (removed) {
        resident.remove(slot, cause);
      }
      desk.serve();
      return removed;
    } finally {
      lock.unlock();
    }
  }

  /** Tells how the values of a resident chunk of that length lie; answers whether there is one. */
  public boolean describe(ChunkKey key, int bytes, BodyForm form) {
    lock.lock();
    try {
      int slot = resident.find(key);
      boolean fits = slot != ChunkTable.NOT_FOUND && resident.records().bytes(slot) == bytes;
      if (fits) {
        resident.records().setForm(slot, form);
      }
      return fits;
    } finally {
      lock.unlock();
    }
  }

  /** Removes every chunk that no lease holds, in one step. */
  public Cleared clear() {
    lock.lock();
    try {
      Cleared cleared = resident.clear();
      desk.serve();
      return cleared;
    } finally {
      lock.unlock();
    }
  }

  /** From now on nothing can be claimed or committed; those who wait for room are told so. */
  public void close() {
    lock.lock();
    try {
      desk.close();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes, and removes every chunk. Those that a lease holds are no longer found either, but keep
   * their memory until the lease is closed.
   */
  public void shutdown() {
    lock.lock();
    try {
      desk.close();
      pinBook.unpinAll();
      resident.removeAll(RemovalCause.SHUTDOWN);
    } finally {
      lock.unlock();
    }
  }

  /** What a body of that length takes of the memory. */
  public long footprint(int bytes) {
    return memory.footprint(bytes);
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

  /** All figures, of one moment. */
  public CacheStats stats() {
    lock.lock();
    try {
      return figures.stats();
    } finally {
      lock.unlock();
    }
  }

  /** What leases and pending chunks read. */
  ChunkLeases leases() {
    return leases;
  }
}
