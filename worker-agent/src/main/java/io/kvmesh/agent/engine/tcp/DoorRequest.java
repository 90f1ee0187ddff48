package io.kvmesh.agent.engine.tcp;

import io.kvmesh.agent.engine.EngineApi;
import io.kvmesh.agent.engine.Retrieved;
import io.kvmesh.agent.fleet.FleetOutcome;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traces;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for chunks, one or several: the deadline of all that has to come from peers, and its
 * span, which is told of them when this is closed. One thread.
 */
public final class DoorRequest implements AutoCloseable {

  private final Deadline deadline;
  private final Traced span;
  private int asked;
  private int local;
  private int fromPeer;

  /** Of the chunk that was got last; null = none was. */
  private @Nullable FleetOutcome outcome;

  DoorRequest(Deadline deadline, Traced span) {
    this.deadline = deadline;
    this.span = span;
  }

  Retrieved retrieve(EngineApi api, ChunkKey key) throws InterruptedException {
    try {
      Retrieved got = api.retrieve(List.of(key), deadline);
      found(got.local() > 0, got.fromPeer() > 0);
      outcome = got.outcome();
      return got;
    } catch (InterruptedException | RuntimeException e) {
      span.failed(e);
      throw e;
    }
  }

  boolean isInFleet(EngineApi api, ChunkKey key) throws InterruptedException {
    try {
      return api.inFleet(List.of(key), 0, deadline) > 0;
    } catch (InterruptedException | RuntimeException e) {
      span.failed(e);
      throw e;
    }
  }

  /** One more chunk was asked for, and is here or there. */
  void found(boolean here, boolean there) {
    asked++;
    local += here ? 1 : 0;
    fromPeer += there ? 1 : 0;
  }

  @Override
  public void close() {
    if (span.isOn()) {
      tellSpan();
    }
    span.close();
  }

  private void tellSpan() {
    span.tag(Traces.CHUNKS_ASKED, asked);
    span.tag(Traces.CHUNKS_LOCAL, local);
    span.tag(Traces.CHUNKS_PEER, fromPeer);
    if (outcome != null) {
      span.tag(Traces.OUTCOME, outcome.label());
    }
  }
}
