package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.CommitOutcome;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.cache.Reserving;
import io.kvmesh.agent.fleet.FleetOutcome;
import io.kvmesh.agent.fleet.FleetPuller;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.Frame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * What an engine can do with this agent, whichever door it comes through. Any thread; the caller
 * waits, and may be interrupted.
 */
public final class EngineApi {

  private final ChunkCache cache;
  private final FleetPuller fleet;

  /** Assigns only. */
  public EngineApi(ChunkCache cache, FleetPuller fleet) {
    this.cache = cache;
    this.fleet = fleet;
  }

  /** Holds the longest prefix that is here; isn't a use. */
  ChunkLease hold(List<ChunkKey> keys) {
    return cache.leasePrefix(keys);
  }

  /** How many chunks, from the {@code from}-th on, one peer has. */
  public int inFleet(List<ChunkKey> keys, int from, Deadline deadline) throws InterruptedException {
    return fleet.longest(keys, from, deadline);
  }

  /**
   * The longest prefix: what is here is used, the last chunk first; then the rest is pulled from
   * the peers that have it.
   */
  public Retrieved retrieve(List<ChunkKey> keys, Deadline deadline) throws InterruptedException {
    ChunkLease lease = cache.leasePrefix(keys);
    if (cache.keeping() == Keeping.NOTHING) {
      return new Retrieved(lease, List.of(), 0, new FleetOutcome.FirstRankOnly());
    }
    try {
      int local = lease.size();
      cache.touch(lease, local);
      FleetOutcome outcome = new FleetOutcome.NotAsked();
      int fromPeer = 0;
      if (local < keys.size()) {
        FleetPuller.Pulled pulled = fleet.pull(keys, local, lease, deadline);
        outcome = pulled.outcome();
        fromPeer = pulled.chunks();
      }
      return new Retrieved(lease, order(keys, local, fromPeer, lease), local, outcome);
    } catch (InterruptedException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  /** The lease has what was here in the order of the keys, and the rest as it came. */
  private static List<Integer> order(
      List<ChunkKey> keys, int local, int fromPeer, ChunkLease lease) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < local; i++) {
      order.add(i);
    }
    Map<ChunkKey, Integer> came = new HashMap<>();
    for (int i = local; fromPeer > 0 && i < lease.size(); i++) {
      came.putIfAbsent(lease.key(i), i);
    }
    for (ChunkKey key : keys.subList(local, local + fromPeer)) {
      Integer index = came.get(key);
      if (index == null) {
        throw new IllegalStateException("The chunk " + key + " was pulled but isn't held");
      }
      order.add(index);
    }
    return order;
  }

  /**
   * Keeps chunks, in order; those that are resident already stay as they are.
   *
   * @param into holds all that are resident afterwards
   * @return what became of each
   * @throws EngineFault if the cache is closing
   */
  List<StoreOutcome> store(
      List<ChunkSpec> chunks, List<Frame> bodies, Reserving how, ChunkLease into)
      throws EngineFault, InterruptedException {
    if (cache.keeping() == Keeping.STAGING) {
      // Nobody would find them: not even a copy is made.
      return Collections.nCopies(chunks.size(), StoreOutcome.NOT_KEPT);
    }
    List<Claim> claims = cache.claim(chunks, how, into);
    List<PendingChunk> filled = fill(claims, bodies);
    Iterator<CommitOutcome> commits = cache.commit(filled, into).iterator();
    List<StoreOutcome> outcomes = new ArrayList<>(claims.size());
    for (Claim claim : claims) {
      outcomes.add(outcome(claim, commits));
    }
    return outcomes;
  }

  private static StoreOutcome outcome(Claim claim, Iterator<CommitOutcome> commits)
      throws EngineFault {
    return switch (claim) {
      case Claim.Resident resident -> StoreOutcome.RESIDENT;
      case Claim.NoSpace noSpace -> StoreOutcome.NO_SPACE;
      case Claim.TooLarge tooLarge -> StoreOutcome.TOO_LARGE;
      case Claim.Unfull unfull -> StoreOutcome.UNFULL;
      case Claim.WrongSize wrongSize -> StoreOutcome.WRONG_SIZE;
      case Claim.NotKept notKept -> StoreOutcome.NOT_KEPT;
      case Claim.Closed closed -> throw closing();
      case PendingChunk claimed -> outcome(commits.next());
    };
  }

  private static StoreOutcome outcome(CommitOutcome commit) throws EngineFault {
    return switch (commit) {
      case STORED -> StoreOutcome.STORED;
      case STAGED -> StoreOutcome.NOT_KEPT;
      case RESIDENT -> StoreOutcome.RESIDENT;
      case CLOSED -> throw closing();
    };
  }

  private static EngineFault closing() {
    return new EngineFault(EngineErrorCode.CLOSING, "this agent is closing");
  }

  /** Fills what was claimed with its body. */
  private List<PendingChunk> fill(List<Claim> claims, List<Frame> bodies) {
    List<PendingChunk> pending = new ArrayList<>(claims.size());
    for (Claim claim : claims) {
      if (claim instanceof PendingChunk chunk) {
        pending.add(chunk);
      }
    }
    boolean filled = false;
    try {
      for (int i = 0; i < claims.size(); i++) {
        if (claims.get(i) instanceof PendingChunk chunk) {
          bodies.get(i).copyTo(chunk.body());
        }
      }
      filled = true;
      return pending;
    } finally {
      if (!filled) {
        cache.abort(pending);
      }
    }
  }

  /**
   * Finds room for chunks that the caller writes itself, and then commits or gives back.
   *
   * @return what came of each
   * @throws EngineFault if the cache is closing
   */
  List<Claim> claim(List<ChunkSpec> chunks, Reserving how)
      throws EngineFault, InterruptedException {
    if (cache.keeping() == Keeping.STAGING) {
      return Collections.nCopies(chunks.size(), new Claim.NotKept());
    }
    try (ChunkLease resident = cache.newLease()) {
      List<Claim> claims = cache.claim(chunks, how, resident);
      if (claims.contains(new Claim.Closed())) {
        cache.abort(claimed(claims).pending());
        throw closing();
      }
      return claims;
    }
  }

  /** Those of the claims that found room. */
  Claimed claimed(List<Claim> claims) {
    return new Claimed(
        cache,
        claims.stream()
            .filter(PendingChunk.class::isInstance)
            .map(PendingChunk.class::cast)
            .toList());
  }

  /**
   * Keeps chunks that their claimer has written. They are summed up here.
   *
   * @param into holds all that are resident afterwards
   * @return what became of each
   * @throws EngineFault if the cache is closing
   */
  List<StoreOutcome> commit(Claimed claimed, ChunkLease into) throws EngineFault {
    List<StoreOutcome> outcomes = new ArrayList<>(claimed.chunks());
    for (CommitOutcome outcome : cache.commit(claimed.pending(), into)) {
      outcomes.add(outcome(outcome));
    }
    return outcomes;
  }

  /** A use of the first chunks of a lease, the last of them first. */
  void touch(ChunkLease lease, int chunks) {
    cache.touch(lease, chunks);
  }

  /** A lease for chunks to come. */
  ChunkLease newLease() {
    return cache.newLease();
  }

  /** Number of the cache's last event. */
  long sequence() {
    return cache.position().sequence();
  }
}
