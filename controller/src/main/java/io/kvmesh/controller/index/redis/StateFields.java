package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.event.Announcement;
import io.kvmesh.common.wire.event.WorkerUp;
import io.kvmesh.controller.index.KeyTotals;
import io.kvmesh.controller.index.LocationProgress;
import io.kvmesh.controller.index.LocationProgress.SnapshotProgress;
import io.kvmesh.controller.index.SyncProgress;
import io.kvmesh.controller.index.WorkerProgress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a worker's state; see {@link RedisKeys}. Thread-safe. */
final class StateFields {

  private static final String COUNT_FIELD = "count:";
  private static final String DIGEST_FIELD = "digest:";
  private static final int LOCATION_PARTS = 8;
  private static final int SYNC_PARTS = 7;

  private final MessageCodec codec = new MessageCodec();

  /** Names and values, in turn, of all but what the script keeps. */
  List<byte[]> write(WorkerId worker, String topic, WorkerProgress progress) {
    List<byte[]> fields = new ArrayList<>();
    add(fields, "format", RedisKeys.FORMAT);
    add(fields, "topic", topic);
    add(fields, "partition", progress.partition());
    add(fields, "offset", progress.offset());
    add(fields, "epoch", progress.epoch());
    add(fields, "suspect", flag(progress.suspect()));
    add(fields, "registered", progress.registeredMillis());
    add(fields, "heartbeat", progress.heartbeatMillis());
    add(fields, "heartbeatoffset", progress.heartbeatOffset());
    add(fields, "seen", progress.seenMillis());
    add(fields, "stale", progress.stale());
    add(fields, "reregistered", flag(progress.reregistered()));
    Announcement announcement = progress.announcement();
    if (announcement != null) {
      fields.add(RedisKeys.bytes("announcement"));
      fields.add(codec.encode(new WorkerUp(worker.instanceId(), worker.rank(), 0, announcement)));
    }
    progress.locations().forEach((name, location) -> add(fields, name, location));
    return fields;
  }

  private static void add(List<byte[]> fields, String name, LocationProgress location) {
    String escaped = RedisKeys.escapeLocation(name);
    add(fields, RedisKeys.LOCATION_FIELD + escaped, write(location));
    SyncProgress sync = location.sync();
    if (sync != null) {
      add(fields, RedisKeys.SYNC_FIELD + escaped, write(sync));
    }
  }

  private static void add(List<byte[]> fields, String name, Object value) {
    fields.add(RedisKeys.bytes(name));
    fields.add(RedisKeys.bytes(value.toString()));
  }

  private static int flag(boolean set) {
    return set ? 1 : 0;
  }

  private static String write(LocationProgress location) {
    SnapshotProgress snapshot = location.snapshot();
    return "%d %d %d %d %d %d %d %s"
        .formatted(
            location.sequence(),
            flag(location.suspect()),
            location.gaps(),
            location.duplicates(),
            location.mismatches(),
            location.snapshots(),
            snapshot == null ? -1 : snapshot.nextBatch(),
            snapshot == null ? "" : snapshot.id());
  }

  private static String write(SyncProgress sync) {
    return "%s %d %d %d %d /%s %s"
        .formatted(
            sync.state(),
            flag(sync.ended()),
            sync.totalKeys(),
            sync.batchCount(),
            sync.lastMillis(),
            HexFormat.of().formatHex(sync.received().toByteArray()),
            sync.id());
  }

  /**
   * Reads a worker's state.
   *
   * @throws DurableViewException if it was written by a later version
   */
  StoredWorker read(WorkerId worker, Map<byte[], byte[]> state) {
    Map<String, byte[]> fields = new HashMap<>();
    state.forEach((name, value) -> fields.put(RedisKeys.text(name), value));
    long format = number(fields, "format");
    if (format > RedisKeys.FORMAT) {
      throw DurableViewException.unsupported("Worker " + worker, Long.toString(format));
    }
    Map<String, LocationProgress> locations = new HashMap<>();
    Map<String, KeyTotals> totals = new HashMap<>();
    List<String> sets = new ArrayList<>();
    fields.forEach(
        (name, value) -> {
          if (name.startsWith(RedisKeys.LOCATION_FIELD)) {
            String at = name.substring(RedisKeys.LOCATION_FIELD.length());
            locations.put(
                RedisKeys.unescapeLocation(at),
                readLocation(
                    RedisKeys.text(value), readSync(fields.get(RedisKeys.SYNC_FIELD + at))));
          } else if (name.startsWith(COUNT_FIELD)) {
            String digest = text(fields, DIGEST_FIELD + name.substring(COUNT_FIELD.length()));
            totals.put(location(name, COUNT_FIELD), totals(RedisKeys.text(value), digest));
          } else if (name.startsWith(RedisKeys.SET_FIELD)) {
            sets.add(name.substring(RedisKeys.SET_FIELD.length()));
          }
        });
    WorkerProgress progress =
        new WorkerProgress(
            (int) number(fields, "partition"),
            number(fields, "offset"),
            number(fields, "epoch"),
            number(fields, "suspect") != 0,
            announcement(fields.get("announcement")),
            number(fields, "registered"),
            number(fields, "heartbeat"),
            number(fields, "heartbeatoffset"),
            number(fields, "seen"),
            number(fields, "stale"),
            fields.containsKey("reregistered") && number(fields, "reregistered") != 0,
            locations);
    return new StoredWorker(text(fields, "topic"), progress, totals, sets);
  }

  private static String location(String field, String kind) {
    return RedisKeys.unescapeLocation(field.substring(kind.length()));
  }

  /** Count and digest as the script writes them. */
  static KeyTotals totals(String count, String digest) {
    return new KeyTotals(Long.parseLong(count), Long.parseUnsignedLong(digest, 16));
  }

  private static @Nullable SyncProgress readSync(byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    String[] parts = RedisKeys.text(value).split(" ", SYNC_PARTS);
    return new SyncProgress(
        parts[6],
        SyncProgress.State.valueOf(parts[0]),
        Long.parseLong(parts[2]),
        Integer.parseInt(parts[3]),
        BitSet.valueOf(HexFormat.of().parseHex(parts[5].substring(1))),
        parts[1].equals("1"),
        Long.parseLong(parts[4]));
  }

  private static LocationProgress readLocation(String text, @Nullable SyncProgress sync) {
    String[] parts = text.split(" ", LOCATION_PARTS);
    int nextBatch = Integer.parseInt(parts[6]);
    return new LocationProgress(
        Long.parseLong(parts[0]),
        parts[1].equals("1"),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]),
        Long.parseLong(parts[4]),
        Long.parseLong(parts[5]),
        nextBatch < 0 ? null : new SnapshotProgress(parts[7], nextBatch),
        sync);
  }

  private @Nullable Announcement announcement(byte @Nullable [] encoded) {
    if (encoded == null) {
      return null;
    }
    try {
      return codec.decode(WorkerUp.class, encoded).announcement();
    } catch (WireFormatException e) {
      // The next heartbeat tells it again.
      return null;
    }
  }

  private static long number(Map<String, byte[]> fields, String name) {
    return Long.parseLong(text(fields, name));
  }

  private static String text(Map<String, byte[]> fields, String name) {
    byte[] value = fields.get(name);
    if (value == null) {
      throw new IllegalStateException("The state has no field " + name);
    }
    return RedisKeys.text(value);
  }
}
