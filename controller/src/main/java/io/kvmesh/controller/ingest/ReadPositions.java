package io.kvmesh.controller.ingest;

import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How far a reader is on each of its partitions. Written by the reader, read by any thread. */
final class ReadPositions {

  private final Map<Integer, Position> positions = new ConcurrentHashMap<>();
  private final InstantSource clock;

  /**
   * One partition.
   *
   * @param next offset of the next record to be applied
   * @param end offset after the last record, as last told by the broker
   * @param ageMillis of the last record when it was applied
   * @param appliedMillis when that was
   */
  private record Position(long next, long end, long ageMillis, long appliedMillis) {}

  ReadPositions(InstantSource clock) {
    this.clock = clock;
  }

  /** The reader goes on from there. */
  void start(int partition, long next) {
    positions.put(partition, new Position(next, next, 0, clock.millis()));
  }

  /** All before the offset has been applied; the last of it was appended at that time. */
  void applied(int partition, long next, long timestampMillis) {
    long now = clock.millis();
    positions.computeIfPresent(
        partition,
        (p, old) ->
            new Position(next, Math.max(next, old.end), Math.max(0, now - timestampMillis), now));
  }

  /** The broker has told where the partition ends. */
  void end(int partition, long end) {
    positions.computeIfPresent(
        partition, (p, old) -> new Position(old.next, end, old.ageMillis, old.appliedMillis));
  }

  /** Offset of the next record to be applied; 0 if the partition isn't read. */
  long next(int partition) {
    Position position = positions.get(partition);
    return position == null ? 0 : position.next;
  }

  /** Whether all before the offsets has been applied. */
  boolean haveReached(Map<Integer, Long> offsets) {
    return offsets.entrySet().stream()
        .allMatch(offset -> next(offset.getKey()) >= offset.getValue());
  }

  /** Whether the reader has applied all that the partition had when the broker last told. */
  boolean isAtEnd(int partition) {
    Position position = positions.get(partition);
    return position != null && position.next >= position.end;
  }

  void remove(int partition) {
    positions.remove(partition);
  }

  void clear() {
    positions.clear();
  }

  List<PartitionLag> lags(OwnedPartitions owned) {
    return positions.entrySet().stream()
        .map(entry -> lag(entry.getKey(), entry.getValue(), owned))
        .sorted(Comparator.comparingInt(PartitionLag::partition))
        .toList();
  }

  private PartitionLag lag(int partition, Position position, OwnedPartitions owned) {
    long records = Math.max(0, position.end - position.next);
    long waiting = records == 0 ? 0 : Math.max(0, clock.millis() - position.appliedMillis);
    return new PartitionLag(
        partition,
        position.next,
        position.end,
        records,
        records == 0 ? position.ageMillis : Math.max(position.ageMillis, waiting),
        owned.contains(partition));
  }
}
