package io.kvmesh.agent.cache;

import static io.kvmesh.agent.cache.CacheFixture.PAGE_BYTES;
import static io.kvmesh.agent.cache.CacheFixture.TOKENS;
import static io.kvmesh.agent.cache.CacheFixture.key;
import static io.kvmesh.agent.cache.CacheFixture.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.memory.PageAllocator;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineRequest;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Chunks that come and go leave nothing behind. Isolated, since it looks at the heap in use. */
@Isolated
class ChurnTest {

  private static final int CHUNKS = 50_000;
  private static final int ROUNDS = 50;
  private static final int BATCH = 64;
  private static final long MEBIBYTE = 1 << 20;

  private static ChunkCache cache(PageArena arena) {
    return new ChunkCache(
        new PageAllocator(arena, PAGE_BYTES), PolicyName.LRU.create(CHUNKS), new NumberingSink());
  }

  private static long heapInUse() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** MEM-1: each chunk is replaced many times, in new keyspaces and with wide hashes too. */
  @Test
  void constantWorkingSet_takesConstantHeap() throws InterruptedException {
    try (PageArena arena = PageArena.anonymous((long) CHUNKS * PAGE_BYTES)) {
      ChunkCache cache = cache(arena);
      List<Long> inUse = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        replaceAll(cache, round);
        if (round == ROUNDS / 10 || round == ROUNDS / 2 || round == ROUNDS - 1) {
          inUse.add(heapInUse());
        }
      }
      assertThat(cache.stats().admitted()).isEqualTo((long) CHUNKS * ROUNDS);
      for (int i = 1; i < inUse.size(); i++) {
        // It may have fallen: other tests' leavings go late.
        assertThat(inUse.get(i)).isLessThan(high(inUse.get(i - 1)));
      }
    }
  }

  /** MEM-9: a cache keeps nothing of the messages in which its chunks' keys came. */
  @Test
  void messages_areGoneWhenTheirKeysAreStored() throws Exception {
    MessageCodec codec = new MessageCodec();
    List<WeakReference<byte[]>> received = new ArrayList<>();
    try (CacheFixture at = new CacheFixture(200, PolicyName.LRU)) {
      for (int round = 0; round < 10; round++) {
        byte[] message = codec.encode(lookup(round));
        received.add(new WeakReference<>(message));
        store(at, codec.decode(EngineRequest.class, message));
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                System.gc();
                return received.stream().allMatch(each -> each.refersTo(null));
              });
      assertThat(at.cache.stats().residentChunks()).isEqualTo(200);
    }
  }

  /** Keys of a keyspace of their own, half of them with wide hashes. */
  private static EngineLookupMsg lookup(int round) {
    Keyspace keyspace = Keyspace.of("model " + round, 1, 0, "half", List.of());
    List<String> keys =
        IntStream.range(0, 20)
            .mapToObj(i -> i % 2 == 0 ? wide(round, i) : ChunkHash.ofSigned(mixed(round, i)))
            .map(hash -> new ChunkKey(keyspace, hash).toString())
            .toList();
    return new EngineLookupMsg(1, keys, true);
  }

  private static void store(CacheFixture at, EngineRequest request) {
    EngineLookupMsg lookup = (EngineLookupMsg) request;
    try (ChunkLease lease = at.cache.newLease()) {
      lookup.keys().forEach(key -> assertThat(at.put(ChunkKey.parse(key), lease)).isTrue());
    }
  }

  private static long high(long bytes) {
    return bytes * 105 / 100 + 2 * MEBIBYTE;
  }

  private static void replaceAll(ChunkCache cache, int round) throws InterruptedException {
    Keyspace keyspace = Keyspace.of("model " + round, 1, 0, "half", List.of());
    for (int first = 0; first < CHUNKS; first += BATCH) {
      List<ChunkSpec> specs = new ArrayList<>();
      for (int i = first; i < Math.min(CHUNKS, first + BATCH); i++) {
        ChunkHash hash = i % 10 == 0 ? wide(round, i) : ChunkHash.ofSigned(mixed(round, i));
        specs.add(new ChunkSpec(new ChunkKey(keyspace, hash), PAGE_BYTES, TOKENS));
      }
      try (ChunkLease lease = cache.newLease()) {
        List<PendingChunk> chunks =
            CacheFixture.claimed(cache.claim(specs, new Reserving.Now(), lease));
        cache.commit(chunks, new long[chunks.size()], lease);
      }
    }
  }

  private static long mixed(int round, int chunk) {
    return ((long) round * CHUNKS + chunk) * 0x9e3779b97f4a7c15L;
  }

  private static ChunkHash wide(int round, int chunk) {
    return ChunkHash.ofBytes(
        ByteBuffer.allocate(32).putLong(mixed(round, chunk)).putLong(1).array());
  }

  @Test
  void records_takeLessThan150BytesAChunk() throws InterruptedException {
    try (PageArena arena = PageArena.anonymous((long) CHUNKS * PAGE_BYTES)) {
      long before = heapInUse();
      ChunkCache cache = cache(arena);
      for (int first = 0; first < CHUNKS; first += BATCH) {
        List<ChunkSpec> specs = new ArrayList<>();
        for (int i = first; i < Math.min(CHUNKS, first + BATCH); i++) {
          specs.add(new ChunkSpec(key(mixed(1, i)), PAGE_BYTES, TOKENS));
        }
        try (ChunkLease lease = cache.newLease()) {
          List<PendingChunk> chunks =
              CacheFixture.claimed(cache.claim(specs, new Reserving.Now(), lease));
          cache.commit(chunks, new long[chunks.size()], lease);
        }
      }
      long after = heapInUse();
      assertThat(cache.stats().residentChunks()).isEqualTo(CHUNKS);
      assertThat((after - before) / CHUNKS).isLessThan(150);
    }
  }

  /** ALLOC-5: a small cache takes any number of puts, and each that went was an event. */
  @Test
  void manyPuts_neverFail_andEventsAddUp() {
    try (CacheFixture at = new CacheFixture(1_000, PolicyName.LRU)) {
      for (long hash = 0; hash < 5_000; hash++) {
        at.put(hash);
      }
      CacheStats stats = at.cache.stats();
      assertThat(stats.noSpace()).isZero();
      assertThat(stats.residentChunks()).isEqualTo(1_000);
      assertThat(stats.removed()).containsEntry(RemovalCause.EVICTED, 4_000L);
      assertThat(at.sink.sequence()).isEqualTo(9_000);
    }
  }

  /** UAF-2: what of a batch did not come is given back once, and no page has two owners then. */
  @Test
  void batchesOfWhichATailDoesNotCome_loseNoPage() throws InterruptedException {
    try (CacheFixture at = new CacheFixture(64, PolicyName.LRU)) {
      List<ChunkKey> asked = LongStream.range(0, 32).mapToObj(CacheFixture::key).toList();
      for (int round = 0; round < 10_000; round++) {
        try (ChunkLease lease = at.cache.newLease()) {
          List<PendingChunk> claimed = claimed(at, asked, lease);
          at.cache.commit(claimed.subList(0, 10), new long[10], lease);
          at.cache.abort(claimed.subList(10, 32));
        }
        at.cache.clear();
        assertThat(at.pages.freePages()).isEqualTo(64);
      }
      try (ChunkLease lease = at.cache.newLease()) {
        List<ChunkKey> keys = LongStream.range(100, 164).mapToObj(CacheFixture::key).toList();
        List<PendingChunk> all = claimed(at, keys, lease);
        all.forEach(chunk -> CacheFixture.stamp(chunk.body(), chunk.key()));
        assertThat(all)
            .hasSize(64)
            .allMatch(chunk -> CacheFixture.isStamped(chunk.body(), chunk.key()));
      }
    }
  }

  private static List<PendingChunk> claimed(CacheFixture at, List<ChunkKey> keys, ChunkLease lease)
      throws InterruptedException {
    return CacheFixture.claimed(
        at.cache.claim(CacheFixture.specs(keys), new Reserving.Now(), lease));
  }

  /** PIN-7: every hold ends with whoever took it. */
  @Test
  void putReadAndRemoved_leavesEveryPageFree() {
    try (CacheFixture at = new CacheFixture(8, PolicyName.LRU)) {
      for (int round = 0; round < 1_000; round++) {
        at.put(1, 2, 3);
        at.read(1, 2, 3);
        at.cache.pins().pin(new PinOwner("test", "owner"), keys(1, 2));
        at.cache.pins().unpinGroup("test");
        for (ChunkKey each : keys(1, 2, 3)) {
          assertThat(at.cache.remove(each, RemovalCause.REMOVED)).isTrue();
        }
        assertThat(at.pages.freePages()).isEqualTo(8);
      }
    }
  }
}
