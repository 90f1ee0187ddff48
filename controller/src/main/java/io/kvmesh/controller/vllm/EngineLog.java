package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.codec.KvEventCodec;
import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.common.zmq.Frame;
import io.kvmesh.common.zmq.Multipart;
import io.kvmesh.controller.log.EventLogWriter;
import io.kvmesh.controller.vllm.BlockChanges.Changes;
import io.kvmesh.controller.vllm.EngineCounts.Cleared;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Writes what an engine tells to the log. Each life on the log begins with nothing: it is begun
 * when all that was told before is void. What is told until the log has taken the beginning, and
 * with it the epoch is known, waits here. One thread; what the log has answered is looked at by
 * {@link #poll}.
 */
final class EngineLog implements BatchSink {

  static final long NO_EPOCH = -1;

  /** A record of the log holds at most this many operations. */
  private static final int MAX_OPERATIONS = 1000;

  /** Records that the log has yet to take. */
  private static final int MAX_UNTAKEN = 500;

  private final EngineSettings engine;
  private final EventLogWriter log;
  private final EngineCounts counts;
  private final KvEventCodec codec;
  private final BlockChanges changes;

  private long epoch = NO_EPOCH;

  /** The log's answer to the beginning, and what that said; one that waits is begun but once. */
  private @Nullable CompletableFuture<Long> beginning;

  private boolean beginningIncomplete;
  private @Nullable EnginePosition taken;
  private boolean failed;

  /** See {@link EnginePosition}. */
  private int holes;

  private final Deque<Written> untaken = new ArrayDeque<>();
  private int untakenRecords;

  /** A batch, what it has for the log, and the log's answers once it was given to it. */
  private record Written(
      EnginePosition position, List<Part> parts, List<CompletableFuture<Long>> answers) {

    /** What it counts for; nothing is free. */
    int size() {
      return Math.max(1, parts.size());
    }
  }

  /** Operations of one record of the log. */
  private record Part(String location, KVOperations operations) {}

  EngineLog(EngineSettings engine, EventLogWriter log, EngineCounts counts, KvEventCodec codec) {
    this.engine = engine;
    this.log = log;
    this.counts = counts;
    this.codec = codec;
    this.changes = new BlockChanges(engine.blockTokens(), counts);
  }

  /** Goes on with a life that is on the log up to the position; or with none. */
  void resume(long knownEpoch, @Nullable EnginePosition position) {
    clear();
    epoch = knownEpoch;
    taken = position;
    holes = position == null ? 0 : position.holes();
  }

  private void clear() {
    untaken.clear();
    untakenRecords = 0;
    beginning = null;
    taken = null;
    failed = false;
    holes = 0;
  }

  @Override
  public void begin(boolean incomplete) {
    CompletableFuture<Long> begun = beginning;
    boolean again = begun != null && !begun.isDone() && beginningIncomplete == incomplete;
    clear();
    epoch = NO_EPOCH;
    beginningIncomplete = incomplete;
    beginning = again ? begun : beginning(incomplete);
  }

  private CompletableFuture<Long> beginning(boolean incomplete) {
    return log.append(
        incomplete
            ? WorkerUp.resumed(engine.worker(), engine.announcement(null))
            : new WorkerUp(
                engine.worker().instanceId(),
                engine.worker().rank(),
                0,
                engine.announcement(null)));
  }

  @Override
  public void missed() {
    holes++;
  }

  @Override
  public boolean hasRoom() {
    return untakenRecords < MAX_UNTAKEN && !failed;
  }

  @Override
  public void apply(Numbered batch, long check) {
    List<Part> parts = new ArrayList<>();
    try {
      Changes found = changes.of(batch.sequence(), codec.decode(batch.payload()));
      if (found.cleared()) {
        counts.cleared(Cleared.TOLD);
        begin(false);
      }
      found.operations().forEach((location, operations) -> split(location, operations, parts));
    } catch (WireFormatException e) {
      refuse(batch, e);
    }
    add(new Written(new EnginePosition(batch.sequence(), check, holes), parts, new ArrayList<>()));
  }

  private void refuse(Numbered batch, WireFormatException fault) {
    Multipart shown = new Multipart(List.of(Frame.of(batch.payload())), engine.endpoint());
    counts.garbage().refuse(shown, fault.getMessage());
    holes++;
  }

  private static void split(String location, KVOperations whole, List<Part> parts) {
    for (int from = 0; from < whole.size(); from += MAX_OPERATIONS) {
      int to = Math.min(whole.size(), from + MAX_OPERATIONS);
      parts.add(new Part(location, whole.subList(from, to)));
    }
  }

  private void add(Written written) {
    untaken.add(written);
    untakenRecords += written.size();
    if (epoch != NO_EPOCH) {
      write(written);
    }
    poll();
  }

  private void write(Written written) {
    for (Part part : written.parts) {
      written.answers.add(log.append(record(part)));
    }
  }

  private LogEvent record(Part part) {
    return new BatchedKVOperation(
        engine.worker().instanceId(),
        engine.worker().rank(),
        epoch,
        part.location(),
        engine.keyspace().toString(),
        part.operations());
  }

  /** Takes notice of what the log has answered by now. */
  void poll() {
    CompletableFuture<Long> up = beginning;
    if (up != null && up.isDone()) {
      beginning = null;
      if (up.isCompletedExceptionally()) {
        fail();
      } else {
        epoch = up.join();
        untaken.forEach(this::write);
      }
    }
    while (!failed && epoch != NO_EPOCH && isAnswered(untaken.peek())) {
      Written written = untaken.remove();
      untakenRecords -= written.size();
      if (written.answers.stream().anyMatch(CompletableFuture::isCompletedExceptionally)) {
        fail();
      } else {
        taken = written.position;
      }
    }
  }

  private static boolean isAnswered(@Nullable Written written) {
    return written != null && written.answers.stream().allMatch(CompletableFuture::isDone);
  }

  private void fail() {
    failed = true;
    counts.logFailure();
  }

  /** Whether the log lacks something: it has all up to {@link #position} in any case. */
  boolean hasFailed() {
    return failed;
  }

  /** The life's epoch; NO_EPOCH while there is none. */
  long epoch() {
    return epoch;
  }

  /** The batch up to which the log has all of this life; null if that isn't known. */
  @Nullable EnginePosition position() {
    return taken;
  }

  /** Writes a sign of life. */
  void heartbeat() {
    if (epoch != NO_EPOCH) {
      // One that the log doesn't take is counted there; the next follows.
      var _ =
          log.append(
              new Heartbeat(
                  engine.worker().instanceId(),
                  engine.worker().rank(),
                  epoch,
                  engine.announcement(taken),
                  List.of()));
    }
  }
}
