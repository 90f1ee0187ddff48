package io.kvmesh.quickstart.replay;

import io.kvmesh.common.client.EngineBody;
import io.kvmesh.common.client.EngineClientException;
import io.kvmesh.common.client.LookedUp;
import io.kvmesh.common.client.RetrievedChunks;
import io.kvmesh.common.client.StoredChunks;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.quickstart.body.ChunkBodies;
import io.kvmesh.quickstart.client.ClientException;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Plays an engine's part: request i goes to worker i mod N, one at a time. Each asks how long a
 * prefix is there, retrieves it, compares every body, stores what is missing, lets go, and waits at
 * the barrier before the next begins. Not thread-safe; used once.
 */
public final class Replay {

  private static final long STORE_BYTES = 8L << 20;

  /** Nobody was asked, a peer gave chunks, nobody has any; all others are failures. */
  private static final Set<String> GOOD_OUTCOMES = Set.of("none", "hit", "miss");

  /** Hears of each request that came to its end. Same thread. */
  @FunctionalInterface
  public interface Progress {
    void done(long requests, Tally soFar);
  }

  /**
   * How long an agent may take.
   *
   * @param deadline for what other agents have
   * @param call until an answer is here
   */
  public record Times(Duration deadline, Duration call) {}

  private final List<ReplayWorker> workers;
  private final Barrier barrier;
  private final LoanWatch loans;
  private final Keys keys;
  private final ChunkBodies bodies;
  private final int chunkTokens;
  private final Times times;
  private final Tally tally = new Tally();

  /**
   * @param chunkTokens of each chunk
   */
  public Replay(
      List<ReplayWorker> workers,
      Barrier barrier,
      LoanWatch loans,
      Keys keys,
      ChunkBodies bodies,
      int chunkTokens,
      Times times) {
    this.workers = List.copyOf(workers);
    this.barrier = barrier;
    this.loans = loans;
    this.keys = keys;
    this.bodies = bodies;
    this.chunkTokens = chunkTokens;
    this.times = times;
  }

  /**
   * Replays all of it.
   *
   * @throws ReplayFailure at the first thing that isn't as it must be
   */
  public Tally run(Workload workload, Progress progress)
      throws ReplayFailure, InterruptedException {
    int index = 0;
    for (Prompt prompt : workload.prompts()) {
      ReplayWorker worker = workers.get(index % workers.size());
      try {
        request(worker, prompt);
      } catch (ReplayFailure e) {
        throw new ReplayFailure("request " + index + " on " + worker.id() + ": " + e.getMessage());
      } catch (ClientException | EngineClientException e) {
        throw new ReplayFailure("request " + index + ": " + e.getMessage(), e);
      }
      index++;
      progress.done(index, tally);
    }
    return tally;
  }

  private void request(ReplayWorker worker, Prompt prompt)
      throws ReplayFailure, ClientException, EngineClientException, InterruptedException {
    List<ChunkKey> prefix = keys.of(prompt);
    if (!prefix.isEmpty()) {
      Served served = serve(worker, prefix);
      pass(worker, served.changed(), served.local() < prefix.size());
      if (served.peer() > 0 && !loans.awaitReturned()) {
        throw new ReplayFailure("pages that were lent for a pull are still on loan");
      }
    }
    tally.requests++;
  }

  private record Served(int local, int peer, Position changed) {}

  /** All of it in one lease, which has ended when this is over. */
  private Served serve(ReplayWorker worker, List<ChunkKey> prefix)
      throws ReplayFailure, EngineClientException, InterruptedException {
    try (LookedUp promised = lookup(worker, prefix);
        RetrievedChunks found = retrieve(worker, prefix, promised)) {
      check(prefix, promised, found);
      return new Served(found.local(), peer(found), store(worker, prefix, found));
    }
  }

  private LookedUp lookup(ReplayWorker worker, List<ChunkKey> prefix)
      throws EngineClientException, InterruptedException {
    long start = System.nanoTime();
    LookedUp promised = worker.engine().lookup(prefix, true);
    tally.lookup.record(System.nanoTime() - start);
    return promised;
  }

  private RetrievedChunks retrieve(ReplayWorker worker, List<ChunkKey> prefix, LookedUp promised)
      throws EngineClientException, InterruptedException {
    long start = System.nanoTime();
    RetrievedChunks found =
        worker.engine().retrieve(prefix, promised.lease(), times.deadline(), times.call());
    if (peer(found) > 0) {
      tally.pull.record(System.nanoTime() - start);
    }
    return found;
  }

  private static int peer(RetrievedChunks found) {
    return found.size() - found.local();
  }

  private void check(List<ChunkKey> prefix, LookedUp promised, RetrievedChunks found)
      throws ReplayFailure {
    if (!GOOD_OUTCOMES.contains(found.peerOutcome())) {
      throw new ReplayFailure("the pull from a peer ended with " + found.peerOutcome());
    }
    if (found.local() != promised.local() || peer(found) != promised.fleet()) {
      throw new ReplayFailure(
          String.format(
              "promised %d local and %d fleet chunks, delivered %d and %d (%s)",
              promised.local(), promised.fleet(), found.local(), peer(found), found.peerOutcome()));
    }
    compare(prefix, found);
    tally.retrieved(prefix.size(), found.local(), peer(found));
    found.lengths().stream().skip(found.local()).forEach(bytes -> tally.bytesPulled += bytes);
  }

  private void compare(List<ChunkKey> prefix, RetrievedChunks found) throws ReplayFailure {
    for (int i = 0; i < found.size(); i++) {
      byte[] body = new byte[found.body(i).remaining()];
      found.body(i).get(body);
      int offset = bodies.firstDifference(prefix.get(i).hash().bits(), body);
      if (offset >= 0) {
        throw new ReplayFailure(
            String.format(
                "wrong body: chunk %d (%s), %d bytes, differs at byte %d",
                i, prefix.get(i), body.length, offset));
      }
      tally.bodiesChecked++;
    }
  }

  /** Stores the rest in prefix order, a bounded number of bytes a message, all in one lease. */
  private Position store(ReplayWorker worker, List<ChunkKey> prefix, RetrievedChunks found)
      throws ReplayFailure, EngineClientException, InterruptedException {
    Position position = new Position(found.epoch(), found.sequence());
    int step = Math.clamp(STORE_BYTES / bodies.bytes(), 1, prefix.size());
    for (int from = found.size(); from < prefix.size(); from += step) {
      List<ChunkKey> part = prefix.subList(from, Math.min(from + step, prefix.size()));
      List<EngineBody> computed = part.stream().map(this::computed).toList();
      StoredChunks reply = worker.engine().store(computed, found.lease(), times.call());
      count(part, reply.outcomes());
      position = new Position(reply.epoch(), reply.sequence());
    }
    return position;
  }

  private EngineBody computed(ChunkKey key) {
    byte[] body = bodies.body(key.hash().bits());
    return new EngineBody(key, MemorySegment.ofArray(body), chunkTokens);
  }

  private void count(List<ChunkKey> part, List<StoreOutcome> outcomes) throws ReplayFailure {
    for (int i = 0; i < outcomes.size(); i++) {
      switch (outcomes.get(i)) {
        case STORED, RESIDENT -> {}
        case NO_SPACE -> tally.notStored++;
        case TOO_LARGE, UNFULL, WRONG_SIZE, NOT_KEPT ->
            throw new ReplayFailure(
                "%s: %s".formatted(outcomes.get(i).name().toLowerCase(Locale.ROOT), part.get(i)));
      }
    }
  }

  private void pass(ReplayWorker worker, Position changed, boolean hasChanged)
      throws ReplayFailure, ClientException, InterruptedException {
    long start = System.nanoTime();
    AppliedRetMsg known = barrier.await(worker.id(), changed.epoch(), changed.sequence());
    if (!known.applied()) {
      throw new ReplayFailure(
          "the controller hasn't applied event %d of epoch %d, but event %d of epoch %d"
              .formatted(changed.sequence(), changed.epoch(), known.sequence(), known.epoch()));
    }
    if (hasChanged) {
      tally.eventLag.record(System.nanoTime() - start);
    }
  }

  private record Position(long epoch, long sequence) {}
}
