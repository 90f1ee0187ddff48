package io.kvmesh.benchmarks.cache;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkChecksum;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.Demand;
import io.kvmesh.agent.memory.MemoryFeature;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.benchmarks.NumberedEvents;
import io.kvmesh.common.key.ChunkKey;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Bodies copied into the cache and out of it, chunk by chunk in turns with the same copies between
 * bare memory. Everything lies in memory of one kind and is larger than the processor's caches.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // setUp
public class CopyRounds extends Rounds {

  private static final int MEMORY_BYTES = 256 << 20;
  private static final int ROUND_BYTES = 64 << 20;

  /** So that the calls are compiled: a round has few of them, and they are quick beside a copy. */
  private static final int WARM_UP_CALLS = 50_000;

  /** Nanoseconds a chunk. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Nanos {
    public double in;
    public double bareIn;
    public double checksum;
    public double out;
    public double bareOut;
  }

  @Param({"1048576", "4194304"})
  int chunkBytes;

  private PageArena memory;
  private PageArena bareMemory;
  private PageArena sources;
  private PageArena targets;
  private ChunkCache cache;
  private int chunks;
  private long number;

  /** Keeps the checksums from being left out by the compiler. */
  long sum;

  @Setup
  public void setUp() {
    memory = touched();
    bareMemory = touched();
    sources = touched();
    targets = touched();
    chunks = MEMORY_BYTES / chunkBytes;
    PageAllocator pages = new PageAllocator(memory, chunkBytes);
    cache = new ChunkCache(pages, PolicyName.LRU.create(chunks), new NumberedEvents());
    for (; number < chunks; number++) {
      store(chunkBytes);
    }
    for (int i = 0; i < WARM_UP_CALLS; i++, number++) {
      store(1);
      fetch();
    }
  }

  private static PageArena touched() {
    PageArena arena =
        PageArena.open(
            new ArenaOptions(
                MEMORY_BYTES,
                Optional.empty(),
                Map.of(MemoryFeature.HUGE_PAGES, Demand.WANTED),
                OptionalInt.empty()));
    arena.bytes().fill((byte) 1);
    return arena;
  }

  /**
   * Each body goes in at the front of its memory and comes out half of it behind. Which of the two
   * comes first changes from chunk to chunk: the second finds the first one's writes under way.
   */
  @Benchmark
  public void round(Nanos nanos) {
    int copies = ROUND_BYTES / chunkBytes;
    double share = 1.0 / copies;
    for (int i = 0; i < copies; i++) {
      if (i % 2 == 0) {
        nanos.bareIn += share * nanosOf(this::copyInBare);
        nanos.in += share * nanosOf(() -> store(chunkBytes));
        nanos.bareOut += share * nanosOf(this::copyOutBare);
        nanos.out += share * nanosOf(this::fetch);
      } else {
        nanos.in += share * nanosOf(() -> store(chunkBytes));
        nanos.bareIn += share * nanosOf(this::copyInBare);
        nanos.out += share * nanosOf(this::fetch);
        nanos.bareOut += share * nanosOf(this::copyOutBare);
      }
      checksum(nanos, share);
      number++;
    }
  }

  /** Of a body that was just copied, as a commit takes it. */
  private void checksum(Nanos nanos, double share) {
    MemorySegment body = slice(targets, number);
    MemorySegment.copy(slice(bareMemory, number), 0, body, 0, chunkBytes);
    nanos.checksum += share * nanosOf(() -> sum += ChunkChecksum.of(body));
  }

  private void store(int bytes) {
    try (ChunkLease lease = cache.newLease()) {
      PendingChunk chunk =
          (PendingChunk) cache.claim(key(number), bytes, FullCache.BODY_TOKENS, lease);
      MemorySegment.copy(slice(sources, number), 0, chunk.body(), 0, bytes);
      cache.commit(chunk, 0, lease);
    }
  }

  private void fetch() {
    try (ChunkLease lease = cache.leasePrefix(List.of(key(number - chunks / 2)))) {
      MemorySegment.copy(lease.body(0), 0, slice(targets, number), 0, lease.bytes(0));
    }
  }

  private void copyInBare() {
    MemorySegment source = slice(sources, number + chunks / 2);
    MemorySegment.copy(source, 0, slice(bareMemory, number), 0, chunkBytes);
  }

  private void copyOutBare() {
    MemorySegment target = slice(targets, number + chunks / 2);
    MemorySegment.copy(slice(bareMemory, number + chunks / 2), 0, target, 0, chunkBytes);
  }

  private MemorySegment slice(PageArena arena, long at) {
    return arena.bytes().asSlice(at % chunks * chunkBytes, chunkBytes);
  }

  private static ChunkKey key(long number) {
    return ChunkNumbers.key(ChunkNumbers.hash(number));
  }

  @TearDown
  public void close() {
    memory.close();
    bareMemory.close();
    sources.close();
    targets.close();
  }
}
