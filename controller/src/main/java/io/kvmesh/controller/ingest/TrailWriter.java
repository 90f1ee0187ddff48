package io.kvmesh.controller.ingest;

import io.kvmesh.common.wire.KVOperations;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.BatchedKVOperation;
import io.kvmesh.common.wire.event.Tick;
import io.kvmesh.common.wire.event.WorkerDown;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.registry.LocationView;
import io.kvmesh.controller.registry.WorkerState;
import io.kvmesh.controller.registry.WorkerView;
import io.kvmesh.controller.trail.Trail;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells the trail what the view in memory was made of. Belongs to its reader's thread. */
final class TrailWriter {

  private static final long NONE = -1;
  private static final int FIRST_HASHES = 3;

  private final Trail trail;

  TrailWriter(Trail trail) {
    this.trail = trail;
  }

  /** The record was applied. */
  void applied(LogRecord record, Decision decision) {
    switch (record.event()) {
      case BatchedKVOperation batch -> batch(record, batch);
      case WorkerUp up -> add(Kind.REGISTERED, record, record.offset(), null, whereabouts(up));
      case WorkerDown down ->
          add(
              Kind.DOWN,
              record,
              down.epoch(),
              null,
              "life %d is over: %s".formatted(down.epoch(), words(down.reason())));
      default -> {}
    }
    for (Decision.Note note : decision.notes()) {
      add(note.kind(), record, decision.stream().epoch(), note.location(), note.text());
    }
  }

  private void batch(LogRecord record, BatchedKVOperation batch) {
    KVOperations operations = batch.operations();
    int size = operations.size();
    if (size == 0) {
      return;
    }
    int admits = 0;
    for (int i = 0; i < size; i++) {
      admits += operations.admits(i) ? 1 : 0;
    }
    List<Long> hashes = new ArrayList<>(FIRST_HASHES);
    for (int i = 0; i < Math.min(size, FIRST_HASHES); i++) {
      hashes.add(operations.hashBits(i));
    }
    trail.addBatch(
        record.timestampMillis(),
        batch.worker(),
        batch.epoch(),
        operations.sequence(size - 1),
        admits,
        size - admits,
        hashes,
        batch.location(),
        batch.keyspace());
  }

  private static String whereabouts(WorkerUp up) {
    Announcement told = up.announcement();
    return "%s at %s:%d%s%s"
        .formatted(
            words(told.kind()),
            told.ip(),
            told.port(),
            told.model() == null ? "" : ", model " + told.model(),
            Boolean.TRUE.equals(up.resumed()) ? ", alive before" : "");
  }

  private static String words(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void add(
      Kind kind, LogRecord record, long epoch, @Nullable String location, String text) {
    trail.add(kind, record.timestampMillis(), record.event().worker(), epoch, NONE, location, text);
  }

  /** The record changes nothing. */
  void passedOver(LogRecord record, WorkerStreams streams) {
    if (record.event() instanceof Tick) {
      return;
    }
    WorkerStream stream = streams.stream(record.event().worker());
    if (stream != null && record.offset() > stream.offset() && isOfFormerLife(record, stream)) {
      add(
          Kind.REFUSED,
          record,
          record.event().epoch(),
          null,
          "record at offset %d is of life %d, which life %d has ended"
              .formatted(record.offset(), record.event().epoch(), stream.epoch()));
    }
  }

  private static boolean isOfFormerLife(LogRecord record, WorkerStream stream) {
    return !(record.event() instanceof WorkerUp) && record.event().epoch() < stream.epoch();
  }

  /** The record couldn't be read, or can't be of that place. */
  void rejected(RejectedRecord record) {
    trail.add(
        Kind.REFUSED,
        null,
        null,
        "record at offset %d of partition %d (key %s): %s"
            .formatted(record.offset(), record.partition(), record.key(), record.reason()));
  }

  /** The worker is shown as the view says from now on. */
  void shown(@Nullable WorkerView before, WorkerView now) {
    WorkerState was = before == null ? WorkerState.LIVE : before.state();
    if (now.state() != was) {
      note(Kind.STATE, now, "%s, was %s".formatted(words(now.state()), words(was)));
    }
    if (before != null && before.epoch() == now.epoch() && mismatches(now) > mismatches(before)) {
      note(Kind.MISMATCH, now, "count or digest differ from the worker's own");
    }
  }

  private static long mismatches(WorkerView view) {
    return view.locations().values().stream().mapToLong(LocationView::mismatches).sum();
  }

  private void note(Kind kind, WorkerView now, String text) {
    trail.add(kind, now.id(), now.epoch(), now.appliedSequence(), text);
  }
}
