package io.kvmesh.quickstart.replay;

import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.quickstart.body.ChunkBodies;
import io.kvmesh.quickstart.client.ClientException;
import io.kvmesh.quickstart.client.Retrieved;
import io.kvmesh.quickstart.workload.Prompt;
import io.kvmesh.quickstart.workload.Workload;
import java.time.Duration;
import java.util.Collections;
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

  private final List<ReplayWorker> workers;
  private final Barrier barrier;
  private final LoanWatch loans;
  private final Keys keys;
  private final ChunkBodies bodies;
  private final int chunkTokens;
  private final Duration deadline;
  private final Tally tally = new Tally();

  /**
   * @param chunkTokens of each chunk
   * @param deadline of a retrieve
   */
  public Replay(
      List<ReplayWorker> workers,
      Barrier barrier,
      LoanWatch loans,
      Keys keys,
      ChunkBodies bodies,
      int chunkTokens,
      Duration deadline) {
    this.workers = List.copyOf(workers);
    this.barrier = barrier;
    this.loans = loans;
    this.keys = keys;
    this.bodies = bodies;
    this.chunkTokens = chunkTokens;
    this.deadline = deadline;
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
      } catch (ClientException e) {
        throw new ReplayFailure("request " + index + ": " + e.getMessage(), e);
      }
      index++;
      progress.done(index, tally);
    }
    return tally;
  }

  private void request(ReplayWorker worker, Prompt prompt)
      throws ReplayFailure, ClientException, InterruptedException {
    List<ChunkKey> prefix = keys.of(prompt);
    if (!prefix.isEmpty()) {
      EngineLookupRetMsg promised = lookup(worker, prefix);
      EngineRetrieveRetMsg found = retrieve(worker, prefix, promised);
      Position changed = store(worker, prefix, found);
      worker.engine().release(found.leaseId());
      pass(worker, changed, found.numLocal() < prefix.size());
      if (found.numPeer() > 0 && !loans.awaitReturned()) {
        throw new ReplayFailure("pages that were lent for a pull are still on loan");
      }
    }
    tally.requests++;
  }

  private EngineLookupRetMsg lookup(ReplayWorker worker, List<ChunkKey> prefix)
      throws ClientException, InterruptedException {
    long start = System.nanoTime();
    EngineLookupRetMsg promised = worker.engine().lookup(prefix, true);
    tally.lookup.record(System.nanoTime() - start);
    return promised;
  }

  private EngineRetrieveRetMsg retrieve(
      ReplayWorker worker, List<ChunkKey> prefix, EngineLookupRetMsg promised)
      throws ReplayFailure, ClientException, InterruptedException {
    long start = System.nanoTime();
    Retrieved retrieved = worker.engine().retrieve(promised.leaseId(), prefix, deadline);
    long nanos = System.nanoTime() - start;
    EngineRetrieveRetMsg found = retrieved.reply();
    if (!GOOD_OUTCOMES.contains(found.peerOutcome())) {
      throw new ReplayFailure("the pull from a peer ended with " + found.peerOutcome());
    }
    if (found.numLocal() != promised.numLocal() || found.numPeer() != promised.numFleet()) {
      throw new ReplayFailure(
          String.format(
              "promised %d local and %d fleet chunks, delivered %d and %d (%s)",
              promised.numLocal(),
              promised.numFleet(),
              found.numLocal(),
              found.numPeer(),
              found.peerOutcome()));
    }
    compare(prefix, retrieved.bodies());
    tally.retrieved(prefix.size(), found);
    if (found.numPeer() > 0) {
      tally.pull.record(nanos);
      retrieved.bodies().stream()
          .skip(found.numLocal())
          .forEach(body -> tally.bytesPulled += body.length);
    }
    return found;
  }

  private void compare(List<ChunkKey> prefix, List<byte[]> delivered) throws ReplayFailure {
    for (int i = 0; i < delivered.size(); i++) {
      byte[] body = delivered.get(i);
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
  private Position store(ReplayWorker worker, List<ChunkKey> prefix, EngineRetrieveRetMsg found)
      throws ReplayFailure, ClientException, InterruptedException {
    Position position = new Position(found.epoch(), found.sequence());
    int step = Math.clamp(STORE_BYTES / bodies.bytes(), 1, prefix.size());
    for (int from = found.numLocal() + found.numPeer(); from < prefix.size(); from += step) {
      List<ChunkKey> part = prefix.subList(from, Math.min(from + step, prefix.size()));
      List<byte[]> computed = part.stream().map(key -> bodies.body(key.hash().bits())).toList();
      List<Integer> tokens = Collections.nCopies(part.size(), chunkTokens);
      EngineStoreRetMsg reply =
          worker.engine().store(found.leaseId(), part, computed, tokens, true);
      count(part, reply.outcomes());
      position = new Position(reply.epoch(), reply.sequence());
    }
    return position;
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
