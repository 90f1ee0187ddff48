package io.kvmesh.agent.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkMemory;
import io.kvmesh.agent.cache.PackedRoom;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.policy.PolicyName;
import io.kvmesh.agent.event.EventOutbox;
import io.kvmesh.agent.memory.ArenaOptions;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.agent.memory.RangeAllocator;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.ZmqSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/** Cache, peer server, peer client and puller of one agent, without log, directory and engine. */
public final class TestAgent implements AutoCloseable {

  public static final int TOKENS = 16;

  public final AtomicLong epoch = new AtomicLong(100);
  public final AtomicBoolean fenced = new AtomicBoolean();

  /** Passed before each answer to peers that ask for chunks or push some. */
  public final Gate gate = new Gate();

  public final Traces traces;
  public final ZmqSockets sockets;
  public final ChunkCache cache;
  public final LocalPeer self;
  public final Counters<ServerCount> served = new Counters<>(ServerCount.class);
  public final Counters<PullCount> pulled = new Counters<>(PullCount.class);
  public final Counters<MoveCount> moved = new Counters<>(MoveCount.class);
  public final PeerServer server;
  public final PeerClient client;
  public final PrefixPuller puller;
  public final ChunkMover mover;
  private final PageArena arena;
  private final Optional<PageArena> packedArena;

  TestAgent(TestAgentBuilder builder) throws IOException {
    arena =
        PageArena.open(
            new ArenaOptions(
                (long) builder.pages * builder.pageBytes,
                builder.file,
                Map.of(),
                OptionalInt.empty()));
    ChunkMemory memory = builder.memory(arena);
    packedArena = Optional.of(builder.packedBytes).filter(it -> it > 0).map(PageArena::anonymous);
    PackedRoom packed =
        packedArena
            .map(it -> PackedRoom.of(new RangeAllocator(it), builder.pageBytes, PolicyName.LRU))
            .orElse(PackedRoom.NONE);
    cache =
        new ChunkCache(
            memory,
            packed,
            PolicyName.LRU.create(memory.slots() + packed.maxChunks()),
            new EventOutbox(1_000_000),
            builder.options,
            System::nanoTime);
    self =
        new LocalPeer(
            new WorkerId(builder.name, 0),
            builder.pageBytes,
            TOKENS,
            epoch::get,
            this::isFenced,
            new Channels(builder.channels, Optional.of(arena)));
    traces = builder.traces;
    sockets = new ZmqSockets(new ZmqSettings(1, 64 << 20, builder.sockets));
    MessageCodec codec = new MessageCodec();
    client =
        new PeerClient(self, builder.client(), sockets, codec, pulled, traces, System::nanoTime);
    server =
        new PeerServer(
            self, builder.server(), cache, client, sockets, codec, served, System::nanoTime);
    mover = new ChunkMover(cache, client, builder.moves(), moved, System::nanoTime);
    puller =
        new PrefixPuller(
            cache, client, new PullLimits(builder.getBytes, 3, 4), pulled, (outcome, nanos) -> {});
    server.start();
    client.start(server.initAddress());
  }

  private boolean isFenced() {
    gate.pass();
    return fenced.get();
  }

  /** An agent of 64 pages of 4 KiB, to be changed. */
  public static TestAgentBuilder named(String name) {
    return new TestAgentBuilder(name);
  }

  /** Where peers shake hands with it. */
  public String address() {
    return server.initAddress();
  }

  /** Keys of a prefix. */
  public static List<ChunkKey> keys(long from, int count) {
    return LongStream.range(from, from + count)
        .mapToObj(hash -> ChunkKey.parse("m@1@0@%x@bfloat16".formatted(hash)))
        .toList();
  }

  /** Stores full chunks whose bodies follow from their keys. */
  public void store(List<ChunkKey> keys) {
    keys.forEach(key -> store(key, self.pageBytes(), TOKENS));
  }

  /** Stores a chunk of another size. */
  public void store(ChunkKey key, int bytes, int tokens) {
    try (ChunkLease lease = cache.newLease()) {
      if (cache.claim(key, bytes, tokens, lease) instanceof PendingChunk chunk) {
        fill(chunk.body(), key);
        cache.commit(chunk, lease);
      }
    }
  }

  /** Pulls into a lease of its own, whose chunks are compared with what they must be. */
  public PullOutcome pull(String peer, List<ChunkKey> keys, Duration atMost)
      throws InterruptedException {
    return pull(List.of(new PullSource(peer, keys.size())), keys, atMost);
  }

  /** As above, from several peers. */
  public PullOutcome pull(List<PullSource> sources, List<ChunkKey> keys, Duration atMost)
      throws InterruptedException {
    try (ChunkLease lease = cache.newLease()) {
      PullOutcome outcome =
          puller.pull(sources, keys, lease, Deadline.after(atMost, System::nanoTime));
      for (int i = 0; i < lease.size(); i++) {
        requireRight(lease, i);
      }
      return outcome;
    }
  }

  /** How long the resident prefix is. */
  public int resident(List<ChunkKey> keys) {
    try (ChunkLease lease = cache.leasePrefix(keys)) {
      for (int i = 0; i < lease.size(); i++) {
        requireRight(lease, i);
      }
      return lease.size();
    }
  }

  private static void requireRight(ChunkLease lease, int index) {
    MemorySegment body = lease.body(index);
    MemorySegment right = MemorySegment.ofArray(new byte[(int) body.byteSize()]);
    fill(right, lease.key(index));
    assertThat(body.mismatch(right)).as("body of %s", lease.key(index)).isEqualTo(-1);
  }

  /** The body that belongs to a key. */
  public static void fill(MemorySegment body, ChunkKey key) {
    body.fill((byte) (key.hash().bits() * 31 + 7));
    byte[] text = key.toString().getBytes(StandardCharsets.UTF_8);
    long shown = Math.min(text.length, body.byteSize());
    MemorySegment.copy(MemorySegment.ofArray(text), 0, body, 0, shown);
  }

  /** No page is held, and every one is free or resident. */
  public void requireSettled() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              CacheStats stats = cache.stats();
              assertThat(stats.pendingChunks()).as("pending").isZero();
              assertThat(stats.leasedChunks()).as("leased").isZero();
              assertThat(stats.detachedChunks()).as("detached").isZero();
              assertThat(stats.freePages() + stats.residentChunks() - stats.packed().chunks())
                  .as("free or resident")
                  .isEqualTo(stats.capacityPages());
              assertThat(server.openLoans()).as("loans").isZero();
              assertThat(server.heldForMoves()).as("held for moves").isZero();
              assertThat(client.bytesInFlight()).as("bytes in flight").isZero();
            });
  }

  /** Waits until that was counted so often: it may be done a moment before it is counted. */
  public void awaitServed(ServerCount what, long times) {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(served.get(what)).as("%s", what).isEqualTo(times));
  }

  /** Ends all that runs; the cache can still be used. */
  public void closeDoors() {
    gate.open();
    mover.close();
    client.close();
    server.close();
    if (!sockets.close(Duration.ofSeconds(20))) {
      throw new IllegalStateException("Sockets of " + self.id() + " don't close");
    }
  }

  /** Unmaps the memory. */
  public void unmap() {
    arena.close();
    packedArena.ifPresent(PageArena::close);
  }

  @Override
  public void close() {
    closeDoors();
    unmap();
  }
}
