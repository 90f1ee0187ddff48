package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.count.Counters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records that a reader has passed over: all are counted by kind, the latest are kept to be
 * looked at. A copy of each one's first bytes is all that is kept of it. Any thread.
 */
final class RejectedRecords {

  static final int KEPT = 256;

  private static final int FIRST_BYTES = 64;
  private static final int LONGEST_TEXT = 200;

  private final Counters<RejectedRecord.Kind> counts = new Counters<>(RejectedRecord.Kind.class);

  private final Consumer<RejectedRecord> told;

  @GuardedBy("this")
  private final Map<Place, RejectedRecord> kept = new LinkedHashMap<>();

  private record Place(int partition, long offset) {}

  /** Tells of each one that is added. */
  RejectedRecords(Consumer<RejectedRecord> told) {
    this.told = told;
  }

  void add(
      ConsumerRecord<byte[], byte[]> record, RejectedRecord.Kind kind, @Nullable String reason) {
    counts.count(kind);
    byte[] value = record.value() == null ? new byte[0] : record.value();
    RejectedRecord rejected =
        new RejectedRecord(
            record.partition(),
            record.offset(),
            record.timestamp(),
            record.key() == null ? null : text(record.key()),
            kind,
            shorten(String.valueOf(reason)),
            value.length,
            HexFormat.of().formatHex(value, 0, Math.min(value.length, FIRST_BYTES)));
    keep(rejected);
    told.accept(rejected);
  }

  private synchronized void keep(RejectedRecord rejected) {
    Place place = new Place(rejected.partition(), rejected.offset());
    // One that is read again counts again, and is kept once.
    kept.remove(place);
    kept.put(place, rejected);
    if (kept.size() > KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
  }

  /** The kept ones, the latest first. */
  synchronized List<RejectedRecord> latest() {
    return new ArrayList<>(kept.values()).reversed();
  }

  /** Number of records of that kind, those no longer kept included. */
  long count(RejectedRecord.Kind kind) {
    return counts.get(kind);
  }

  private static String text(byte[] key) {
    byte[] first = Arrays.copyOf(key, Math.min(key.length, LONGEST_TEXT));
    return new String(first, StandardCharsets.UTF_8);
  }

  private static String shorten(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
  }
}
