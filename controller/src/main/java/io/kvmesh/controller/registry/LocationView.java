package io.kvmesh.controller.registry;

/**
 * One location of a worker, as of one moment of the log.
 *
 * @param sequence number of the last operation applied; −1 = not known yet
 * @param residentCount chunks held there
 * @param digest their order-free digest
 * @param suspect whether some of them may be wrong
 * @param snapshotRunning whether a snapshot is being followed
 * @param gaps times that operations were missing
 * @param duplicates operations that came again
 * @param mismatches times that count or digest differed from the worker's own
 * @param snapshots snapshots that were applied whole
 */
public record LocationView(
    long sequence,
    long residentCount,
    long digest,
    boolean suspect,
    boolean snapshotRunning,
    long gaps,
    long duplicates,
    long mismatches,
    long snapshots) {}
