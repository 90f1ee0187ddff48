package io.kvmesh.agent.cache;

import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds chunks: none of them is evicted, and no memory of theirs is given out again, before the
 * lease is closed. One thread at a time adds to a lease and reads it; closing may come from any
 * thread and any number of times. A body that was asked for must not be used after the lease is
 * closed.
 */
public final class ChunkLease implements AutoCloseable {

  private final ChunkLeases leases;

  // Changed under the cache's lock.
  private int[] slots;
  private int size;
  private List<Unpacking> unpackings = List.of();

  /** By chunk; null or beyond its end where a chunk isn't read compressed. */
  private @Nullable PackedBody[] packed = {};

  private volatile boolean closed;

  ChunkLease(ChunkCache cache, int expectedChunks) {
    this.leases = cache.leases();
    this.slots = new int[expectedChunks];
  }

  /** Number of chunks, in the order in which they came. */
  public int size() {
    return size;
  }

  /** Whether it holds nothing any more. */
  public boolean isClosed() {
    return closed;
  }

  /** The chunk's key. */
  public ChunkKey key(int index) {
    return leases.key(slot(index));
  }

  /** How the chunk is compressed that {@link #stored} gives; null = it isn't. */
  public @Nullable CompressionMethod compressedBy(int index) {
    requireIn(index);
    PackedBody compressed = packedAt(index);
    return compressed == null ? null : compressed.method();
  }

  /** The chunk's bytes as they lie, read-only: its body, or what that was compressed to. */
  public MemorySegment stored(int index) {
    requireIn(index);
    PackedBody compressed = packedAt(index);
    return compressed == null ? body(index) : compressed.bytes();
  }

  /**
   * The chunk's body, read-only, exactly as long as it was stored.
   *
   * @throws IllegalStateException if the lease has it compressed
   */
  public MemorySegment body(int index) {
    int slot = slot(index);
    if (packedAt(index) != null || leases.records().isPacked(slot)) {
      throw new IllegalStateException("The body of chunk number %d is compressed".formatted(index));
    }
    return leases.body(leases.records().place(slot), leases.records().bytes(slot)).asReadOnly();
  }

  /**
   * One layer of the chunk's body, read-only.
   *
   * @throws IllegalStateException if the shape of chunks isn't known, or their layers aren't in one
   *     piece
   */
  public MemorySegment layer(int index, int layer) {
    return leases.layers().layer(body(index), tokens(index), layer);
  }

  /** Length of the body. */
  public int bytes(int index) {
    return leases.records().bytes(slot(index));
  }

  /** Number of tokens that the chunk stands for. */
  public int tokens(int index) {
    return leases.records().tokens(slot(index));
  }

  /** How the body's values lie, as whoever stored it told; null = nobody told. */
  public @Nullable BodyForm form(int index) {
    return leases.records().form(slot(index));
  }

  /** Checksum of the body, taken when it was committed; see ChunkChecksum. */
  public long checksum(int index) {
    return leases.records().checksum(slot(index));
  }

  /** Where the body lies: of chunks that are resident together no two have the same. */
  public int place(int index) {
    return leases.records().place(slot(index));
  }

  /** Where the body begins, in bytes from the start of the arena. */
  public long offset(int index) {
    return leases.memory().offset(place(index));
  }

  /**
   * In an arena that others can map: another number once the body's memory was taken back, which
   * may happen when the lease is closed.
   */
  public int generation(int index) {
    return leases.memory().generation(place(index));
  }

  /** Lets go of all chunks. */
  @Override
  public void close() {
    leases.release(this);
  }

  private int slot(int index) {
    requireIn(index);
    return slots[index];
  }

  private void requireIn(int index) {
    requireOpen();
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException(
          "The lease holds %d chunks, asked for number %d".formatted(size, index));
    }
  }

  // What follows is called under the cache's lock.

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("The lease is closed");
    }
  }

  /** For use by a cache: its own, open. */
  void requireOpenIn(ChunkCache user) {
    if (leases != user.leases()) {
      throw new IllegalArgumentException("The lease belongs to another cache");
    }
    requireOpen();
  }

  /** Makes room for so many more at once. */
  void expect(int chunks) {
    if (slots.length - size < chunks) {
      slots = Arrays.copyOf(slots, Math.max(2 * size, size + chunks));
    }
  }

  void add(int slot) {
    if (size == slots.length) {
      slots = Arrays.copyOf(slots, Math.max(8, 2 * size));
    }
    slots[size++] = slot;
  }

  /** A compressed chunk of it is to be unpacked before it is read. */
  void add(Unpacking unpacking) {
    if (unpackings.isEmpty()) {
      unpackings = new ArrayList<>();
    }
    unpackings.add(unpacking);
  }

  /** Those that are still to be unpacked, once. */
  List<Unpacking> takeUnpackings() {
    List<Unpacking> taken = unpackings;
    unpackings = List.of();
    return taken;
  }

  /** This chunk of it is read as it lies. */
  void setPacked(int index, PackedBody body) {
    if (packed.length < slots.length) {
      packed = Arrays.copyOf(packed, slots.length);
    }
    packed[index] = body;
  }

  /** How the chunk is read if it is so as it lies compressed; null if it isn't. */
  @Nullable PackedBody packedAt(int index) {
    return index < packed.length ? packed[index] : null;
  }

  /** Forgets the chunks from this one on; answers the slot of the last one. */
  int removeLast() {
    return slots[--size];
  }

  int slotAt(int index) {
    return slots[index];
  }

  /** Answers whether it was open. */
  boolean markClosed() {
    boolean wasOpen = !closed;
    closed = true;
    return wasOpen;
  }
}
