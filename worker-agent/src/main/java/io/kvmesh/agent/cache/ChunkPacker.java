package io.kvmesh.agent.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.control.PackOutcome;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes chunks of a cache shorter, and long again. A compressed chunk is resident like any other;
 * its body lies in memory of its own, where it gives way to other compressed ones alone. Whoever
 * leases it gets the body as it was stored: it is written back first. Neither is an event. Any
 * thread.
 */
public final class ChunkPacker {

  /** What shrinks by less than this share stays as it is. */
  private static final int LEAST_SHARE = 10;

  /**
   * What became of a chunk that was to be compressed or decompressed.
   *
   * @param bytes of its body as it was stored
   * @param packedBytes of it as it lies compressed, or lay until now; 0 if it doesn't or didn't
   */
  public record Result(PackOutcome outcome, int tokens, int bytes, int packedBytes) {}

  private final ChunkCache cache;
  private final ReentrantLock lock;

  /** Taken before the cache's lock: of two who unpack one chunk, one does. */
  private final ReentrantLock unpacking = new ReentrantLock();

  @GuardedBy("lock")
  private final ResidentSet resident;

  @GuardedBy("lock")
  private final PackedBodies bodies;

  @GuardedBy("lock")
  private final ClaimDesk desk;

  @GuardedBy("lock")
  private long packed;

  @GuardedBy("lock")
  private long unpacked;

  ChunkPacker(ChunkCache cache, ReentrantLock lock, ResidentSet resident, ClaimDesk desk) {
    this.cache = cache;
    this.lock = lock;
    this.resident = resident;
    this.bodies = resident.packed();
    this.desk = desk;
  }

  /** Whether there is memory for compressed bodies. */
  @SuppressWarnings("GuardedBy") // never changes
  public boolean hasRoom() {
    return bodies.exist();
  }

  /** The number of the compressed chunk that came last, see {@link #pack}. */
  public long lastNumber() {
    lock.lock();
    try {
      return bodies.lastNumber();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Compresses a chunk that nobody holds.
   *
   * @param evictable the number of the last compressed chunk that may be evicted for it
   */
  public Result pack(ChunkKey key, CompressionMethod method, long evictable) {
    try (ChunkLease lease = cache.newLease();
        Arena scratch = Arena.ofConfined()) {
      PackOutcome refusal = hold(key, lease);
      if (refusal != null) {
        return result(refusal, lease);
      }
      MemorySegment body = cache.leases().body(lease.place(0), lease.bytes(0));
      long most = body.byteSize() - Math.ceilDiv(body.byteSize(), LEAST_SHARE);
      MemorySegment target = scratch.allocate(Math.max(1, most));
      int length = most < 1 ? 0 : method.compress(body, target);
      PackOutcome outcome =
          length < 1
              ? PackOutcome.TOO_LITTLE
              : store(lease, target.asSlice(0, length), method, evictable);
      return result(outcome, lease);
    }
  }

  /** Holds the chunk, and nobody else does; answers why not, null if so. */
  private @Nullable PackOutcome hold(ChunkKey key, ChunkLease lease) {
    lock.lock();
    try {
      int slot = resident.find(key);
      if (slot == ChunkTable.NOT_FOUND) {
        return PackOutcome.GONE;
      }
      boolean held = resident.isHeld(slot);
      resident.hold(slot);
      lease.add(slot);
      if (resident.records().isPacked(slot)) {
        return PackOutcome.ALREADY;
      }
      return held ? PackOutcome.IN_USE : null;
    } finally {
      lock.unlock();
    }
  }

  private PackOutcome store(
      ChunkLease lease, MemorySegment shorter, CompressionMethod method, long evictable) {
    int length = (int) shorter.byteSize();
    int place = allocate(length, evictable);
    if (place == ChunkMemory.NO_PLACE) {
      return PackOutcome.NO_ROOM;
    }
    bodyAt(place, length).copyFrom(shorter);
    lock.lock();
    try {
      int slot = lease.slotAt(0);
      if (resident.records().holds(slot) > 1
          || !resident.records().isResident(slot)
          || !bodies.mayGrow()) {
        bodies.free(place);
        return PackOutcome.IN_USE;
      }
      resident.pack(slot, place, length, method);
      packed++;
      desk.serve();
      return PackOutcome.COMPRESSED;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("GuardedBy") // needs no lock
  private MemorySegment bodyAt(int place, int length) {
    return bodies.body(place, length);
  }

  private int allocate(int length, long evictable) {
    lock.lock();
    try {
      if (!bodies.fits(length)) {
        return ChunkMemory.NO_PLACE;
      }
      int place = tryAllocate(length);
      while (place == ChunkMemory.NO_PLACE && resident.evictOnePacked(evictable)) {
        place = tryAllocate(length);
      }
      return place;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int tryAllocate(int length) {
    return bodies.mayGrow() ? bodies.tryAllocate(length) : ChunkMemory.NO_PLACE;
  }

  private Result result(PackOutcome outcome, ChunkLease lease) {
    if (lease.size() == 0) {
      return new Result(outcome, 0, 0, 0);
    }
    lock.lock();
    try {
      int slot = lease.slotAt(0);
      boolean isPacked = resident.records().isPacked(slot);
      return new Result(
          outcome, lease.tokens(0), lease.bytes(0), isPacked ? bodies.length(slot) : 0);
    } finally {
      lock.unlock();
    }
  }

  /** Decompresses a chunk. */
  public Result unpack(ChunkKey key) {
    int packedBytes;
    lock.lock();
    try {
      int slot = resident.find(key);
      if (slot == ChunkTable.NOT_FOUND) {
        return new Result(PackOutcome.GONE, 0, 0, 0);
      }
      packedBytes = resident.records().isPacked(slot) ? bodies.length(slot) : 0;
    } finally {
      lock.unlock();
    }
    try (ChunkLease lease = cache.leasePrefix(List.of(key))) {
      if (lease.size() == 0) {
        return new Result(PackOutcome.NO_ROOM, 0, 0, 0);
      }
      PackOutcome outcome = packedBytes > 0 ? PackOutcome.DECOMPRESSED : PackOutcome.ALREADY;
      return new Result(outcome, lease.tokens(0), lease.bytes(0), packedBytes);
    }
  }

  /**
   * Writes the bodies of a lease's compressed chunks back.
   *
   * @throws IllegalStateException if one isn't what it was; it is removed and the lease closed then
   */
  void makeReadable(ChunkLease lease) {
    List<Unpacking> work = lease.takeUnpackings();
    if (work.isEmpty()) {
      return;
    }
    List<Unpacking> harmed = new ArrayList<>();
    unpacking.lock();
    try {
      for (Unpacking each : work) {
        if (!unpack(each)) {
          harmed.add(each);
        }
      }
    } finally {
      unpacking.unlock();
    }
    if (!harmed.isEmpty()) {
      lease.close();
      remove(harmed);
      throw new IllegalStateException(
          "%d compressed bodies aren't what they were".formatted(harmed.size()));
    }
  }

  /** Nobody is to come upon them again. */
  private void remove(List<Unpacking> harmed) {
    lock.lock();
    try {
      for (Unpacking each : harmed) {
        if (resident.records().isResident(each.slot())
            && resident.records().isPacked(each.slot())) {
          resident.removeUnlessHeld(each.slot(), RemovalCause.REMOVED);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean unpack(Unpacking it) {
    boolean whole = false;
    try {
      whole = expand(it);
    } finally {
      lock.lock();
      try {
        unpacked += whole ? 1 : 0;
        desk.settle(it, whole);
      } finally {
        lock.unlock();
      }
    }
    return whole;
  }

  /** Answers whether the body can be read now: here, or where somebody else has written it. */
  private boolean expand(Unpacking it) {
    ChunkRecords records = cache.leases().records();
    MemorySegment from;
    CompressionMethod method;
    lock.lock();
    try {
      if (!records.isPacked(it.slot())) {
        return true;
      }
      from = bodies.body(records.place(it.slot()), bodies.length(it.slot()));
      method = bodies.method(it.slot());
    } finally {
      lock.unlock();
    }
    MemorySegment body = cache.leases().body(it.place(), records.bytes(it.slot()));
    return method.expand(from, body) && ChunkChecksum.of(body) == records.checksum(it.slot());
  }

  /** Under the lock, which its caller holds. */
  @SuppressWarnings("GuardedBy") // the cache's lock is this one's
  CacheStats.Packed stats() {
    return new CacheStats.Packed(
        bodies.chunks(),
        bodies.fullBytes(),
        bodies.bytes(),
        bodies.capacityBytes(),
        packed,
        unpacked);
  }
}
