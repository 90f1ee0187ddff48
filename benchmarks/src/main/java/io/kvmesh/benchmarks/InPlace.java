package io.kvmesh.benchmarks;

import io.kvmesh.agent.directory.DirectoryCount;
import io.kvmesh.agent.directory.LocalLookupCache;
import io.kvmesh.agent.directory.LookupOutcome;
import io.kvmesh.agent.engine.EngineCount;
import io.kvmesh.agent.engine.EngineSettings;
import io.kvmesh.agent.engine.HandOverSettings;
import io.kvmesh.agent.engine.NativeDoor;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.fleet.PrefetchCount;
import io.kvmesh.agent.fleet.PrefetchLimits;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.memory.ArenaIdentity;
import io.kvmesh.agent.memory.PageArena;
import io.kvmesh.common.client.EngineClient;
import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.client.EngineClientSettings;
import io.kvmesh.common.client.LeasedPages;
import io.kvmesh.common.client.LookedUp;
import io.kvmesh.common.client.SharedPages;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkHash;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.zmq.SocketSettings;
import io.kvmesh.common.zmq.ZmqSockets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An engine's client and the native door of an agent whose memory it maps: a resident prefix is
 * leased. One thread.
 */
final class InPlace implements Contender {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int QUEUE = 64;
  private static final long FRAME_BYTES = 16L << 20;
  private static final int MAX_KEYS = 8192;

  private final String name;
  private final List<ChunkKey> keys;
  private final AgentEnd agent;
  private final NativeDoor door;
  private final ZmqSockets sockets = new ZmqSockets();
  private final EngineClient client;
  private final SharedPages pages;
  private @Nullable LeasedPages leased;

  InPlace(String name, Path directory, int chunks, int pageBytes) throws IOException {
    this.name = name;
    keys =
        LongStream.range(0, chunks)
            .mapToObj(hash -> new ChunkKey(AgentEnd.keyspace(), ChunkHash.ofUnsigned(hash << 40)))
            .toList();
    agent = new AgentEnd("arena-" + pageBytes, chunks, pageBytes, AgentEnd.Way.shm(directory));
    keys.forEach(key -> agent.store(key, pageBytes, (byte) 1));
    door = door(agent, chunks);
    door.start();
    try {
      client =
          EngineClient.open(
              sockets, EngineClientSettings.of("tcp://127.0.0.1:" + door.port(), "benchmark"));
      pages = client.sharePages();
    } catch (EngineClientException | InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static NativeDoor door(AgentEnd agent, int chunks) {
    LocalLookupCache nobody =
        new LocalLookupCache(
            (keyspace, hashes, atMost) -> new LookupOutcome.Miss(),
            0,
            Duration.ZERO,
            new Counters<>(DirectoryCount.class),
            System::nanoTime);
    FleetPuller fleet = new FleetPuller(nobody, agent.puller());
    return new NativeDoor(
        agent.self(),
        settings(agent.memory(), chunks),
        agent.cache(),
        fleet,
        new Prefetcher(
            agent.cache(),
            fleet,
            agent.self().pageBytes(),
            new PrefetchLimits(0, LONG, 1, LONG, 1),
            new Counters<>(PrefetchCount.class),
            Traces.off(),
            System::nanoTime),
        agent.sockets(),
        new MessageCodec(),
        new Counters<>(EngineCount.class),
        Traces.off(),
        System::nanoTime);
  }

  private static EngineSettings settings(PageArena memory, int chunks) {
    Path file = memory.file().orElseThrow();
    ArenaIdentity identity = memory.identity().orElseThrow();
    HandOverSettings handOver =
        new HandOverSettings(
            Path.of(file + ".engine"),
            file,
            identity.id().toString(),
            identity.arenaBytes(),
            identity.generationsOffset(),
            64 * chunks);
    return new EngineSettings(
        SocketSettings.DEFAULT.withMessages(QUEUE, FRAME_BYTES, 16 + MAX_KEYS),
        "tcp://127.0.0.1:0",
        LONG,
        Duration.ofMinutes(5),
        Duration.ofMinutes(1),
        QUEUE,
        1024,
        Long.MAX_VALUE,
        QUEUE,
        MAX_KEYS,
        Duration.ZERO,
        Optional.of(handOver));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void pull() throws IOException, InterruptedException {
    try {
      LeasedPages all = pages.lease(keys, LONG);
      leased = all;
      if (all.size() != keys.size() || !all.isUnchanged()) {
        throw new IOException("%d of %d chunks".formatted(all.size(), keys.size()));
      }
    } catch (EngineClientException e) {
      throw new IOException(e);
    }
  }

  /** Releases the last lease, and waits until that is done. */
  @Override
  public void reset() throws IOException, InterruptedException {
    LeasedPages all = leased;
    if (all == null) {
      return;
    }
    all.close();
    try (LookedUp after = client.lookup(keys.subList(0, 1), false)) {
      if (after.local() != 1) {
        throw new IOException("A chunk is gone");
      }
    } catch (EngineClientException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    sockets.close();
    door.close();
    agent.close();
  }
}
