package io.kvmesh.agent.cache;

import io.kvmesh.agent.cache.policy.EvictionPolicy;
import io.kvmesh.agent.memory.RangeAllocator;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * The bodies of compressed chunks: their memory, and the order in which they go. Who reads one as
 * it lies also holds its chunk; should the chunk be written back meanwhile, its compressed body
 * stays until the last reader is done. Guarded by the cache's lock, but for {@link #body}.
 */
final class PackedBodies {

  private final Optional<RangeAllocator> ranges;
  private final EvictionPolicy order;
  private final int most;
  private final long unitBytes;

  // By slot.
  private final int[] lengths;
  private final int[] fullLengths;
  private final CompressionMethod[] methods;
  private final long[] numbers;
  private final int[] readers;

  /** Where a body lies that only its readers need any more. */
  private final int[] leftBehind;

  private int chunks;
  private long bytes;
  private long fullBytes;
  private long lastNumber;

  PackedBodies(PackedRoom room, int slots) {
    int own = room.ranges().isPresent() ? slots : 1;
    this.ranges = room.ranges();
    this.order = room.order().apply(own);
    this.most = room.maxChunks();
    this.unitBytes = ranges.map(it -> it.bytesTaken(1)).orElse(1L);
    this.lengths = new int[own];
    this.fullLengths = new int[own];
    this.methods = new CompressionMethod[own];
    this.numbers = new long[own];
    this.readers = new int[own];
    this.leftBehind = new int[own];
    Arrays.fill(leftBehind, ChunkMemory.NO_PLACE);
  }

  /** Whether there is any memory. */
  boolean exist() {
    return ranges.isPresent();
  }

  /** The order in which they go. */
  EvictionPolicy order() {
    return order;
  }

  /** Whether there may be one more. */
  boolean mayGrow() {
    return chunks < most;
  }

  /** Whether a body of this length finds room where nothing else is. */
  boolean fits(int length) {
    return ranges.map(it -> it.bytesTaken(length) <= it.maxCapacityBytes()).orElse(false);
  }

  /** A place for a body, or NO_PLACE. */
  int tryAllocate(int length) {
    long offset = ranges.map(it -> it.tryAllocate(length)).orElse(-1L);
    return offset < 0 ? ChunkMemory.NO_PLACE : (int) (offset / unitBytes);
  }

  /** Takes a place back in which no chunk's body lies. */
  void free(int place) {
    ranges.orElseThrow().free(place * unitBytes);
  }

  /** Bytes at a place. Any thread. */
  MemorySegment body(int place, int length) {
    return ranges.orElseThrow().segment(place * unitBytes, length);
  }

  /** A chunk's body lies there now. */
  void add(int slot, int length, int fullLength, CompressionMethod method) {
    lengths[slot] = length;
    fullLengths[slot] = fullLength;
    methods[slot] = method;
    numbers[slot] = ++lastNumber;
    chunks++;
    bytes += length;
    fullBytes += fullLength;
  }

  /** A chunk's body lies there no more; its memory is free as soon as nobody reads it. */
  void drop(int slot, int place) {
    if (readers[slot] == 0) {
      free(place);
    } else {
      leftBehind[slot] = place;
    }
    chunks--;
    bytes -= lengths[slot];
    fullBytes -= fullLengths[slot];
  }

  /** A chunk's body as it lies, for one more reader, who holds the chunk until it is done. */
  PackedBody read(int slot, int place) {
    readers[slot]++;
    return new PackedBody(body(place, lengths[slot]).asReadOnly(), methods[slot]);
  }

  /** One of its readers is done. */
  void doneReading(int slot) {
    if (--readers[slot] == 0 && leftBehind[slot] != ChunkMemory.NO_PLACE) {
      free(leftBehind[slot]);
      leftBehind[slot] = ChunkMemory.NO_PLACE;
    }
  }

  int length(int slot) {
    return lengths[slot];
  }

  CompressionMethod method(int slot) {
    return methods[slot];
  }

  /** Numbers rise from one that is added to the next. */
  long number(int slot) {
    return numbers[slot];
  }

  /** The last one that was added. */
  long lastNumber() {
    return lastNumber;
  }

  int chunks() {
    return chunks;
  }

  long bytes() {
    return bytes;
  }

  long fullBytes() {
    return fullBytes;
  }

  long capacityBytes() {
    return ranges.map(RangeAllocator::maxCapacityBytes).orElse(0L);
  }
}
