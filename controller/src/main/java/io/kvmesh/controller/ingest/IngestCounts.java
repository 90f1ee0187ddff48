package io.kvmesh.controller.ingest;

/**
 * What a view has counted since the start of the program.
 *
 * @param records applied, garbage included
 * @param operations admits and evicts applied
 * @param garbage records that can't be decoded or belong to no worker
 * @param unsupported records of a later format
 * @param stale records of older epochs
 * @param gaps times that operations were missing
 * @param duplicates operations that came again
 * @param mismatches times that count or digest differed from the worker's own
 * @param snapshots applied whole
 * @param voidSnapshots that ended without being applied
 * @param expired workers that were written off
 * @param refused changes that the index refused, since it holds another offset
 * @param reloads times that a partition was read anew from what the index holds
 * @param truncated times that the log no longer reached back to a stored offset
 * @param failures of Kafka or Redis
 * @param unplaced chunks that were not admitted, since the view was full
 */
public record IngestCounts(
    long records,
    long operations,
    long garbage,
    long unsupported,
    long stale,
    long gaps,
    long duplicates,
    long mismatches,
    long snapshots,
    long voidSnapshots,
    long expired,
    long refused,
    long reloads,
    long truncated,
    long failures,
    long unplaced) {}
