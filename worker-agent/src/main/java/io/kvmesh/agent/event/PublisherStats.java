package io.kvmesh.agent.event;

/**
 * Figures of one moment. All but {@code queued} and {@code capacity} count from the start.
 *
 * @param epoch this life's number, −1 before Kafka has acknowledged its WorkerUp
 * @param fenced whether a later life of this worker is known
 * @param sequence number of the last event
 * @param queued events and other records that wait in the outbox
 * @param capacity of the outbox in events
 * @param dropped events that the log will not see, only a snapshot tells of them
 * @param overflows how often the outbox was full
 * @param sentRecords records that Kafka acknowledged
 * @param sentEvents events in them
 * @param failedSends records that Kafka refused or didn't acknowledge in time
 * @param heartbeats acknowledged heartbeats
 * @param snapshotsStarted snapshots whose start was queued
 * @param snapshotsCompleted snapshots whose end was acknowledged
 * @param snapshotsVoided snapshots that an overflow or a failed send cut short
 * @param snapshotsWanted how often somebody asked for one
 */
public record PublisherStats(
    long epoch,
    boolean fenced,
    long sequence,
    int queued,
    int capacity,
    long dropped,
    long overflows,
    long sentRecords,
    long sentEvents,
    long failedSends,
    long heartbeats,
    long snapshotsStarted,
    long snapshotsCompleted,
    long snapshotsVoided,
    long snapshotsWanted) {}
