package io.kvmesh.quickstart;

import static org.awaitility.Awaitility.await;

import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.Http;
import io.kvmesh.quickstart.fleet.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stores prefixes at one agent after the other and retrieves former ones at others. Where an agent
 * is away, the request goes to the next; a request that no agent serves has failed.
 */
final class RetryingLoad implements AutoCloseable {

  private static final int PREFIX = 8;
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(2);

  /** What is asked of an agent. */
  private interface Request {
    void of(Member agent) throws Exception;
  }

  private final Fleet fleet;
  private final FleetProbe probe;
  private final SplittableRandom random = new SplittableRandom(1);
  private final FutureTask<List<ChunkKey>> task = new FutureTask<>(this::run);
  private final AtomicInteger requests = new AtomicInteger();
  private final List<String> failed = new CopyOnWriteArrayList<>();
  private volatile boolean stopped;

  private RetryingLoad(Fleet fleet, Http http, int pageBytes) {
    this.fleet = fleet;
    this.probe = new FleetProbe(fleet, http, pageBytes);
  }

  /** Starts it. Owned by the calling thread, works in one of its own. */
  static RetryingLoad start(Fleet fleet, Http http, int pageBytes) {
    RetryingLoad load = new RetryingLoad(fleet, http, pageBytes);
    Thread.ofPlatform().daemon().name("load").start(load.task);
    return load;
  }

  /** Waits until so many more requests have been served. */
  void awaitMore(int more) {
    int from = requests.get();
    await().atMost(LONG).until(() -> requests.get() >= from + more || task.isDone());
  }

  /** Requests so far. */
  int requests() {
    return requests.get();
  }

  /** Requests that no agent served, and why. */
  List<String> failed() {
    return failed;
  }

  /** Ends it; all chunks that it has stored. Throws what it has found to be wrong. */
  List<ChunkKey> stop() throws Exception {
    stopped = true;
    return task.get();
  }

  private List<ChunkKey> run() throws Exception {
    List<List<ChunkKey>> prefixes = new ArrayList<>();
    for (long block = 1; !stopped; block += PREFIX) {
      List<ChunkKey> fresh = probe.keys(block, block + PREFIX);
      request("store", agent -> probe.store(agent, fresh));
      prefixes.add(fresh);
      List<ChunkKey> former = prefixes.get(random.nextInt(prefixes.size()));
      request("retrieve", agent -> probe.retrieve(agent, former, DEADLINE));
    }
    return prefixes.stream().flatMap(List::stream).toList();
  }

  private void request(String what, Request request) throws Exception {
    int agents = fleet.agents().size();
    int first = random.nextInt(agents);
    List<String> why = new ArrayList<>();
    for (int i = 0; i < agents && why.size() == i; i++) {
      Member agent = fleet.agents().get((first + i) % agents);
      try {
        request.of(agent);
      } catch (EngineClientException away) {
        why.add(agent.name() + ": " + away.getMessage());
      }
    }
    if (why.size() == agents) {
      failed.add(what + ", " + why);
    }
    requests.incrementAndGet();
  }

  @Override
  public void close() {
    stopped = true;
    probe.close();
  }
}
