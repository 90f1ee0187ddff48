package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.agent.cache.ChunkSpec;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
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

/** The work behind the messages of the native door. Any thread; the caller waits. */
final class EngineWork {

  private final EngineApi api;
  private final EngineSettings settings;
  private final LongSupplier epoch;
  private final Counters<EngineCount> counters;
  private final LongSupplier nanoTime;

  EngineWork(
      EngineApi api,
      EngineSettings settings,
      LongSupplier epoch,
      Counters<EngineCount> counters,
      LongSupplier nanoTime) {
    this.api = api;
    this.settings = settings;
    this.epoch = epoch;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  Outcome lookup(EngineLookupMsg request) throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    counters.count(EngineCount.LOOKUP);
    ChunkLease lease = api.hold(keys);
    try {
      int local = lease.size();
      int fleet = api.inFleet(keys, local, Deadline.after(settings.deadline(), nanoTime));
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
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    counters.count(EngineCount.RETRIEVE);
    Retrieved retrieved = api.retrieve(keys, deadline(request.deadlineMillis()));
    counters.add(EngineCount.CHUNK_ASKED, keys.size());
    counters.add(EngineCount.CHUNK_LOCAL, retrieved.local());
    counters.add(EngineCount.CHUNK_PEER, retrieved.fromPeer());
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
                retrieved.peerOutcome(),
                epoch.getAsLong(),
                sequence),
        bodies);
  }

  Outcome store(EngineStoreMsg request, List<Frame> bodies)
      throws EngineFault, InterruptedException {
    List<ChunkKey> keys = EngineKeys.parse(request.keys(), settings.maxKeys());
    if (request.tokens().size() != keys.size() || bodies.size() != keys.size()) {
      throw EngineFault.badRequest(
          "%d keys come with %d token counts and %d bodies"
              .formatted(keys.size(), request.tokens().size(), bodies.size()));
    }
    List<ChunkSpec> chunks = specs(keys, request.tokens(), bodies);
    counters.count(EngineCount.STORE);
    ChunkLease lease = api.newLease();
    try {
      List<StoreOutcome> outcomes = api.store(chunks, bodies, settings.storing(), lease);
      outcomes.forEach(this::count);
      counters.add(EngineCount.BYTE_IN, bodies.stream().mapToLong(Frame::size).sum());
      long sequence = api.sequence();
      if (request.hold()) {
        return new Outcome(
            Held.of(lease),
            false,
            leaseId -> new EngineStoreRetMsg(leaseId, outcomes, epoch.getAsLong(), sequence),
            List.of());
      }
      lease.close();
      return Outcome.of(
          new EngineStoreRetMsg(request.leaseId(), outcomes, epoch.getAsLong(), sequence));
    } catch (EngineFault | InterruptedException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  private static List<ChunkSpec> specs(
      List<ChunkKey> keys, List<Integer> tokens, List<Frame> bodies) throws EngineFault {
    List<ChunkSpec> specs = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      if (tokens.get(i) < 0) {
        throw EngineFault.badRequest("a token count is negative: " + tokens.get(i));
      }
      if (bodies.get(i).size() == 0) {
        throw EngineFault.badRequest("the body of %s is empty".formatted(keys.get(i)));
      }
      specs.add(new ChunkSpec(keys.get(i), bodies.get(i).size(), tokens.get(i)));
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
}
