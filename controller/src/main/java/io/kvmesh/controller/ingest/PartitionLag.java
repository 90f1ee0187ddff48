package io.kvmesh.controller.ingest;

/**
 * How far a view is behind the end of a partition.
 *
 * @param position offset of the next record to be applied
 * @param end offset after the partition's last record, as last told by the broker
 * @param records number of records not applied yet
 * @param millis age of the last record when it was applied, and, while records wait, the time since
 *     then
 * @param owned whether this controller writes the durable view of the partition
 */
public record PartitionLag(
    int partition, long position, long end, long records, long millis, boolean owned) {}
