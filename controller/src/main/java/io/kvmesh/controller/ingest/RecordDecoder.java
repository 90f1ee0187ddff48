package io.kvmesh.controller.ingest;

import io.kvmesh.common.key.KeyFormatException;
import io.kvmesh.common.wire.codec.MessageCodec;
import io.kvmesh.common.wire.codec.WireFormatException;
import io.kvmesh.common.wire.event.EventTopic;
import io.kvmesh.common.wire.event.LogEvent;
import io.kvmesh.common.wire.event.Tick;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes to events. What can't be decoded is counted and logged with its place and reason, a few
 * lines a minute, and passed over: one bad record doesn't hold up a partition. Nothing of an event
 * refers to the bytes it came from. Belongs to its reader's thread.
 */
final class RecordDecoder {

  private static final Logger log = LoggerFactory.getLogger(RecordDecoder.class);
  private static final int LINES = 10;
  private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

  private final MessageCodec codec = new MessageCodec();
  private final String reader;
  private final IngestCounters counters;
  private final RejectedRecords rejected;
  private final LongSupplier nanos;
  private long periodStart;
  private int lines;

  RecordDecoder(String reader, IngestCounters counters, LongSupplier nanos) {
    this(reader, counters, nanos, rejected -> {});
  }

  /** Tells of each record that is passed over. */
  RecordDecoder(
      String reader,
      IngestCounters counters,
      LongSupplier nanos,
      Consumer<RejectedRecord> rejected) {
    this.reader = reader;
    this.rejected = new RejectedRecords(rejected);
    this.counters = counters;
    this.nanos = nanos;
    this.periodStart = nanos.getAsLong();
  }

  /** What it has passed over. */
  RejectedRecords rejected() {
    return rejected;
  }

  /** The record's event; null if it has none that this version can read. */
  @Nullable LogRecord decode(ConsumerRecord<byte[], byte[]> record) {
    counters.records.increment();
    byte[] value = record.value();
    if (value == null) {
      garbage(record, RejectedRecord.Kind.EMPTY, "it has no value");
      return null;
    }
    try {
      LogEvent event = codec.decode(LogEvent.class, value);
      String fault = keyFault(record.key(), event);
      if (fault != null) {
        garbage(record, RejectedRecord.Kind.WRONG_KEY, fault);
        return null;
      }
      return new LogRecord(record.partition(), record.offset(), record.timestamp(), event);
    } catch (WireFormatException e) {
      if (e.code() == WireFormatException.Code.UNSUPPORTED_FORMAT) {
        counters.unsupported.increment();
        rejected.add(record, RejectedRecord.Kind.UNSUPPORTED_FORMAT, e.getMessage());
        report(record, e.getMessage());
      } else {
        garbage(record, kind(e.code()), e.getMessage());
      }
      return null;
    }
  }

  private static RejectedRecord.Kind kind(WireFormatException.Code code) {
    return code == WireFormatException.Code.LIMIT_EXCEEDED
        ? RejectedRecord.Kind.OVERSIZE
        : RejectedRecord.Kind.UNDECODABLE;
  }

  /**
   * A worker's records have its key: that keeps them in order. What is wrong; null if nothing is. A
   * record without a key may have come to any partition, and is known by that.
   */
  private static @Nullable String keyFault(byte @Nullable [] key, LogEvent event) {
    if (key == null || key.length == 0 || event instanceof Tick) {
      return null;
    }
    try {
      return Arrays.equals(key, EventTopic.key(event.worker()))
          ? null
          : "its key is not " + event.worker();
    } catch (KeyFormatException e) {
      return e.getMessage();
    }
  }

  /** Counts and reports a record that is passed over. */
  void garbage(ConsumerRecord<byte[], byte[]> record, @Nullable String reason) {
    garbage(record, RejectedRecord.Kind.MISPLACED, reason);
  }

  private void garbage(
      ConsumerRecord<byte[], byte[]> record, RejectedRecord.Kind kind, @Nullable String reason) {
    counters.garbage.increment();
    rejected.add(record, kind, reason);
    report(record, reason);
  }

  private void report(ConsumerRecord<byte[], byte[]> record, @Nullable String reason) {
    long now = nanos.getAsLong();
    if (now - periodStart > PERIOD_NANOS) {
      periodStart = now;
      lines = 0;
    }
    if (++lines <= LINES) {
      log.warn(
          "{} passes over the record at offset {} of {}-{}: {}{}",
          reader,
          record.offset(),
          record.topic(),
          record.partition(),
          reason,
          lines == LINES ? " (more within this minute are only counted)" : "");
    }
  }
}
