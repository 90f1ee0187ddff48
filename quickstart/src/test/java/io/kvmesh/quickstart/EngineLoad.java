package io.kvmesh.quickstart;

import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stores prefixes at one agent after the other and retrieves former ones at others, until it is
 * told to stop. An agent may be away, but what one gives must be right.
 */
public final class EngineLoad implements AutoCloseable {

  private static final int PREFIX = 8;
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private final Fleet fleet;
  private final FleetProbe probe;
  private final SplittableRandom random;
  private final int recent;
  private final FutureTask<List<ChunkKey>> task = new FutureTask<>(this::run);
  private final AtomicLong peerHits = new AtomicLong();
  private volatile boolean stopped;

  private EngineLoad(Fleet fleet, Http http, int pageBytes, long seed, int recent) {
    this.fleet = fleet;
    this.probe = new FleetProbe(fleet, http, pageBytes);
    this.random = new SplittableRandom(seed);
    this.recent = recent;
  }

  /** Starts it. Owned by the calling thread, works in one of its own. */
  public static EngineLoad start(Fleet fleet, Http http, int pageBytes, long seed) {
    return start(fleet, http, pageBytes, seed, Integer.MAX_VALUE);
  }

  /** The same, of which only the last {@code recent} prefixes are retrieved. */
  public static EngineLoad start(Fleet fleet, Http http, int pageBytes, long seed, int recent) {
    EngineLoad load = new EngineLoad(fleet, http, pageBytes, seed, recent);
    Thread.ofPlatform().daemon().name("load").start(load.task);
    return load;
  }

  /** Chunks that came from another agent so far. */
  long peerHits() {
    return peerHits.get();
  }

  /** Ends it; all chunks that it has ever tried to store. Throws what it has found to be wrong. */
  public List<ChunkKey> stop() throws Exception {
    stopped = true;
    return task.get();
  }

  private List<ChunkKey> run() throws Exception {
    List<List<ChunkKey>> prefixes = new ArrayList<>();
    for (long block = 1; !stopped; block += PREFIX) {
      List<ChunkKey> fresh = probe.keys(block, block + PREFIX);
      prefixes.add(fresh);
      try {
        probe.store(any(), fresh);
        int known = prefixes.size();
        int first = Math.max(0, known - recent);
        List<ChunkKey> former = prefixes.get(random.nextInt(first, known));
        peerHits.addAndGet(probe.retrieve(any(), former, DEADLINE).peer());
      } catch (EngineClientException agentIsAway) {
        // The test brings it back.
      }
    }
    return prefixes.stream().flatMap(List::stream).toList();
  }

  private Member any() {
    return fleet.agents().get(random.nextInt(fleet.agents().size()));
  }

  @Override
  public void close() {
    stopped = true;
    probe.close();
  }
}
