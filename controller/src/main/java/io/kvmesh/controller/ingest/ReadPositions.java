package io.kvmesh.controller.ingest;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** How far a reader is on each of its partitions. Written by the reader, read by any thread. */
final class ReadPositions {

  private final Map<Integer, ReadPosition> positions = new ConcurrentHashMap<>();
  private final LongSupplier nanos;

  ReadPositions(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** The reader goes on from there. */
  void start(int partition, long next) {
    positions.put(partition, new ReadPosition(next, nanos.getAsLong()));
  }

  /** All before the offset has been applied; the last of it was appended at that time. */
  void applied(int partition, long next, long timestampMillis) {
    ReadPosition position = positions.get(partition);
    if (position != null) {
      position.applied(next, timestampMillis, nanos.getAsLong());
    }
  }

  /** The broker has told where the partition ends; it was asked at that time. */
  void end(int partition, long end, long askedNanos) {
    ReadPosition position = positions.get(partition);
    if (position != null) {
      position.end(end, askedNanos);
    }
  }

  /** Offset of the next record to be applied; 0 if the partition isn't read. */
  long next(int partition) {
    ReadPosition position = positions.get(partition);
    return position == null ? 0 : position.next();
  }

  /** Whether all before the offsets has been applied. */
  boolean haveReached(Map<Integer, Long> offsets) {
    return offsets.entrySet().stream()
        .allMatch(offset -> next(offset.getKey()) >= offset.getValue());
  }

  /** Whether the reader has applied all that the partition had when the broker last told. */
  boolean isAtEnd(int partition) {
    ReadPosition position = positions.get(partition);
    return position != null && position.isAtEnd();
  }

  void remove(int partition) {
    positions.remove(partition);
  }

  void clear() {
    positions.clear();
  }

  /** How far the reader is behind, one per partition. */
  List<PartitionLag> lags(OwnedPartitions owned, TickDelays delays) {
    long now = nanos.getAsLong();
    return positions.entrySet().stream()
        .map(
            entry -> {
              int partition = entry.getKey();
              boolean ours = owned.contains(partition);
              return entry
                  .getValue()
                  .lag(partition, ours ? delays.millis(partition) : null, ours, now);
            })
        .sorted(Comparator.comparingInt(PartitionLag::partition))
        .toList();
  }
}
