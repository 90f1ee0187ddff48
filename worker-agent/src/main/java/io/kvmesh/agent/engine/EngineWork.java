package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.cache.Claim;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.engine.ClaimOutcome;
import io.kvmesh.common.wire.engine.EngineClaimMsg;
import io.kvmesh.common.wire.engine.EngineClaimRetMsg;
import io.kvmesh.common.wire.engine.EngineCommitMsg;
import io.kvmesh.common.wire.engine.EngineLeaseMsg;
import io.kvmesh.common.wire.engine.EngineLeaseRetMsg;
import io.kvmesh.common.wire.engine.EngineLookupMsg;
import io.kvmesh.common.wire.engine.EngineLookupRetMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveMsg;
import io.kvmesh.common.wire.engine.EngineRetrieveRetMsg;
import io.kvmesh.common.wire.engine.EngineStoreMsg;
import io.kvmesh.common.wire.engine.EngineStoreRetMsg;
import io.kvmesh.common.wire.engine.StoreOutcome;
import io.kvmesh.common.zmq.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The work behind the messages of the native door. Any thread; the caller waits. */
final class EngineWork {

  private static final long NOT_CLAIMED = -1;

  private final EngineApi api;
  private final EngineSettings settings;
  private final LongSupplier epoch;
  private final Counters<EngineCount> counters;
  private final Traces traces;
  private final LongSupplier nanoTime;

  EngineWork(
      EngineApi api,
      EngineSettings settings,
      LongSupplier epoch,
      Counters<EngineCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.api = api;
    this.settings = settings;
    this.epoch = epoch;
    this.counters = counters;
    this.traces = traces;
    this.nanoTime = nanoTime;
  }

  /** Its span is a child of the engine's, if it told us one. */
  private Outcome traced(
      String name, @Nullable String traceparent, Traces.Work<Outcome, EngineFault> work)
      throws EngineFault, InterruptedException {
    Runnable ifBad = () -> counters.count(EngineCount.BAD_TRACEPARENT);
    return traces.serve(name, Traceparent.parse(traceparent, ifBad), work);
  }

  Outcome lookup(EngineLookupMsg request) throws EngineFault, InterruptedException {
    return traced("engine lookup", request.traceparent(), span -> lookup(request, span));
  }

  private Outcome lookup(EngineLookupMsg request, Traced span)
      throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    counters.count(EngineCount.LOOKUP);
    ChunkLease lease = api.hold(keys);
    try {
      int local = lease.size();
      int fleet = api.inFleet(keys, local, Deadline.after(settings.deadline(), nanoTime));
      span.tag(Traces.CHUNKS_ASKED, keys.size());
      span.tag(Traces.CHUNKS_LOCAL, local);
      span.tag(Traces.CHUNKS_PEER, fleet);
      if (request.lease() && local > 0) {
        return new Outcome(
            Held.of(lease),
            false,
            leaseId -> new EngineLookupRetMsg(leaseId, local, fleet),
            List.of());
      }
      lease.close();
      return Outcome.of(new EngineLookupRetMsg(0, local, fleet));
    } catch (InterruptedException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  Outcome retrieve(EngineRetrieveMsg request) throws EngineFault, InterruptedException {
    return traced("engine retrieve", request.traceparent(), span -> retrieve(request, span));
  }

  private Outcome retrieve(EngineRetrieveMsg request, Traced span)
      throws EngineFault, InterruptedException {
    counters.count(EngineCount.RETRIEVE);
    Retrieved retrieved = retrieve(request.keys(), request.deadlineMillis(), span);
    List<Integer> lengths = new ArrayList<>();
    List<Integer> tokens = new ArrayList<>();
    List<Frame> bodies = new ArrayList<>();
    ChunkLease lease = retrieved.lease();
    for (int index : retrieved.order()) {
      lengths.add(lease.bytes(index));
      tokens.add(lease.tokens(index));
      bodies.add(Frame.of(lease.body(index)));
      counters.add(EngineCount.BYTE_OUT, lease.bytes(index));
    }
    long sequence = api.sequence();
    return new Outcome(
        Held.of(lease),
        true,
        leaseId ->
            new EngineRetrieveRetMsg(
                leaseId,
                retrieved.local(),
                retrieved.fromPeer(),
                lengths,
                tokens,
                retrieved.outcome().label(),
                epoch.getAsLong(),
                sequence),
        bodies);
  }

  private Retrieved retrieve(List<String> texts, long deadlineMillis, Traced span)
      throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(texts, settings.maxKeys());
    Retrieved retrieved = api.retrieve(keys, deadline(deadlineMillis));
    counters.add(EngineCount.CHUNK_ASKED, keys.size());
    counters.add(EngineCount.CHUNK_LOCAL, retrieved.local());
    counters.add(EngineCount.CHUNK_PEER, retrieved.fromPeer());
    span.tag(Traces.CHUNKS_ASKED, keys.size());
    span.tag(Traces.CHUNKS_LOCAL, retrieved.local());
    span.tag(Traces.CHUNKS_PEER, retrieved.fromPeer());
    span.tag(Traces.OUTCOME, retrieved.outcome().label());
    return retrieved;
  }

  /** As retrieve, with the places of the chunks instead of their bodies. */
  Outcome lease(EngineLeaseMsg request) throws EngineFault, InterruptedException {
    return traced("engine lease", request.traceparent(), span -> lease(request, span));
  }

  private Outcome lease(EngineLeaseMsg request, Traced span)
      throws EngineFault, InterruptedException {
    counters.count(EngineCount.LEASE);
    Retrieved retrieved = retrieve(request.keys(), request.deadlineMillis(), span);
    counters.add(EngineCount.CHUNK_LEASED, retrieved.order().size());
    ChunkLease lease = retrieved.lease();
    long sequence = api.sequence();
    return new Outcome(
        Held.of(lease),
        true,
        leaseId ->
            new EngineLeaseRetMsg(
                leaseId,
                retrieved.local(),
                retrieved.fromPeer(),
                retrieved.order().stream().map(lease::offset).toList(),
                retrieved.order().stream().map(lease::bytes).toList(),
                retrieved.order().stream().map(lease::tokens).toList(),
                retrieved.order().stream().map(lease::generation).toList(),
                retrieved.outcome().label(),
                epoch.getAsLong(),
                sequence),
        List.of());
  }

  Outcome claim(EngineClaimMsg request) throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    if (request.tokens().size() != keys.size() || request.lengths().size() != keys.size()) {
      throw EngineFault.badRequest(
          "%d keys come with %d token counts and %d lengths"
              .formatted(keys.size(), request.tokens().size(), request.lengths().size()));
    }
    counters.count(EngineCount.CLAIM);
    List<Claim> claims =
        api.claim(specs(keys, request.tokens(), request.lengths()), settings.storing());
    List<ClaimOutcome> outcomes = claims.stream().map(EngineWork::outcome).toList();
    outcomes.forEach(this::count);
    List<Long> offsets =
        claims.stream()
            .map(claim -> claim instanceof PendingChunk chunk ? chunk.offset() : NOT_CLAIMED)
            .toList();
    Claimed claimed = api.claimed(claims);
    return new Outcome(
        claimed.pending().isEmpty() ? null : claimed,
        true,
        claimId -> new EngineClaimRetMsg(claimId, outcomes, offsets),
        List.of());
  }

  private static ClaimOutcome outcome(Claim claim) {
    return switch (claim) {
      case PendingChunk claimed -> ClaimOutcome.CLAIMED;
      case Claim.Resident resident -> ClaimOutcome.RESIDENT;
      case Claim.NoSpace noSpace -> ClaimOutcome.NO_SPACE;
      case Claim.TooLarge tooLarge -> ClaimOutcome.TOO_LARGE;
      case Claim.Unfull unfull -> ClaimOutcome.UNFULL;
      case Claim.WrongSize wrongSize -> ClaimOutcome.WRONG_SIZE;
      case Claim.NotKept notKept -> ClaimOutcome.NOT_KEPT;
      case Claim.Closed closed -> throw new IllegalStateException("A claim of a closed cache");
    };
  }

  /** The chunks are written where they lie: they are summed up and become visible. */
  Outcome commit(EngineCommitMsg request, Claimed claimed) throws EngineFault {
    counters.count(EngineCount.COMMIT);
    ChunkLease lease = api.newLease();
    try {
      List<StoreOutcome> outcomes = api.commit(claimed, lease);
      outcomes.forEach(this::count);
      return stored(request.hold(), request.leaseId(), outcomes, lease);
    } catch (EngineFault | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  private Outcome stored(
      boolean hold, long leaseId, List<StoreOutcome> outcomes, ChunkLease lease) {
    long sequence = api.sequence();
    if (hold) {
      return new Outcome(
          Held.of(lease),
          false,
          kept -> new EngineStoreRetMsg(kept, outcomes, epoch.getAsLong(), sequence),
          List.of());
    }
    lease.close();
    return Outcome.of(new EngineStoreRetMsg(leaseId, outcomes, epoch.getAsLong(), sequence));
  }

  Outcome store(EngineStoreMsg request, List<Frame> bodies)
      throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    if (request.tokens().size() != keys.size() || bodies.size() != keys.size()) {
      throw EngineFault.badRequest(
          "%d keys come with %d token counts and %d bodies"
              .formatted(keys.size(), request.tokens().size(), bodies.size()));
    }
    List<Integer> lengths = bodies.stream().map(Frame::size).toList();
    List<ChunkSpec> chunks = specs(keys, request.tokens(), lengths);
    counters.count(EngineCount.STORE);
    ChunkLease lease = api.newLease();
    try {
      List<StoreOutcome> outcomes = api.store(chunks, bodies, settings.storing(), lease);
      outcomes.forEach(this::count);
      counters.add(EngineCount.BYTE_IN, bodies.stream().mapToLong(Frame::size).sum());
      return stored(request.hold(), request.leaseId(), outcomes, lease);
    } catch (EngineFault | InterruptedException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  private static List<ChunkSpec> specs(
      List<ChunkKey> keys, List<Integer> tokens, List<Integer> lengths) throws EngineFault {
    List<ChunkSpec> specs = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      if (tokens.get(i) < 0) {
        throw EngineFault.badRequest("a token count is negative: " + tokens.get(i));
      }
      if (lengths.get(i) < 1) {
        throw EngineFault.badRequest(
            "a body has at least 1 byte, that of %s %d".formatted(keys.get(i), lengths.get(i)));
      }
      specs.add(new ChunkSpec(keys.get(i), lengths.get(i), tokens.get(i)));
    }
    return specs;
  }

  private Deadline deadline(long millis) {
    Duration asked = millis > 0 ? Duration.ofMillis(millis) : settings.deadline();
    Duration longest = EngineSettings.LONGEST_DEADLINE;
    return Deadline.after(asked.compareTo(longest) > 0 ? longest : asked, nanoTime);
  }

  private void count(StoreOutcome outcome) {
    counters.count(
        switch (outcome) {
          case STORED -> EngineCount.CHUNK_STORED;
          case RESIDENT -> EngineCount.CHUNK_RESIDENT;
          case NO_SPACE -> EngineCount.CHUNK_NO_SPACE;
          case TOO_LARGE -> EngineCount.CHUNK_TOO_LARGE;
          case UNFULL -> EngineCount.CHUNK_UNFULL;
          case WRONG_SIZE -> EngineCount.CHUNK_WRONG_SIZE;
          case NOT_KEPT -> EngineCount.CHUNK_NOT_KEPT;
        });
  }

  private void count(ClaimOutcome outcome) {
    counters.count(
        switch (outcome) {
          case CLAIMED -> EngineCount.CHUNK_CLAIMED;
          case RESIDENT -> EngineCount.CHUNK_RESIDENT;
          case NO_SPACE -> EngineCount.CHUNK_NO_SPACE;
          case TOO_LARGE -> EngineCount.CHUNK_TOO_LARGE;
          case UNFULL -> EngineCount.CHUNK_UNFULL;
          case WRONG_SIZE -> EngineCount.CHUNK_WRONG_SIZE;
          case NOT_KEPT -> EngineCount.CHUNK_NOT_KEPT;
        });
  }
}
