package io.kvmesh.controller.ingest;

import org.jspecify.annotations.Nullable;

/**
 * How far a view is behind the end of a partition. Each duration is measured by one clock: the time
 * that a record was appended is never held against this machine's time.
 *
 * @param position offset of the next record to be applied
 * @param end offset after the partition's last record, as last told by the broker
 * @param records number of records not applied yet
 * @param millis all that the partition had so long ago has been applied; 0 if no record is known to
 *     be missing
 * @param visibleMillis time that the last tick took from being given to the log until the view in
 *     memory had it, or has taken so far; null if this controller has written none
 * @param logMillis time of the partition by the broker's clock: that of its last record applied,
 *     and what has gone by since; null before the first
 * @param owned whether this controller is the partition's owner
 */
public record PartitionLag(
    int partition,
    long position,
    long end,
    long records,
    long millis,
    @Nullable Long visibleMillis,
    @Nullable Long logMillis,
    boolean owned) {}
