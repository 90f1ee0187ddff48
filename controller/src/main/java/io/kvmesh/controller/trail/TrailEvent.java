package io.kvmesh.controller.trail;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that this controller saw.
 *
 * @param id rises; later ones are higher, also after the program was started again
 * @param millis when the broker appended the record, for what came from the log; else when it was
 *     seen, by this machine's clock
 * @param instanceId whose it is; null if nobody's
 * @param rank of the worker; null if it is of the whole instance, or nobody's
 * @param epoch of the worker's life; −1 = none
 * @param sequence number of the worker's last operation; −1 = none
 * @param admits chunks admitted by a batch
 * @param evicts chunks evicted by a batch
 * @param hashes of the batch's first chunks, 64 bits each
 * @param location of the worker that it is about; null if about none
 * @param text of a batch its keyspace; else what happened, in words
 */
public record TrailEvent(
    long id,
    long millis,
    Kind kind,
    @Nullable String instanceId,
    @Nullable Integer rank,
    long epoch,
    long sequence,
    int admits,
    int evicts,
    List<Long> hashes,
    @Nullable String location,
    String text) {

  /** What happened. Of each kind the latest are kept, however many there are of others. */
  public enum Kind {
    /** A batch of admits and evicts. */
    OPERATIONS,
    /** A snapshot, or a full sync, began, was applied or came to nothing. */
    SNAPSHOT,
    /** A worker began a life. */
    REGISTERED,
    /** A worker's life is over. */
    DOWN,
    /** A worker is live, suspect or silent now. */
    STATE,
    /** Operations of a worker are missing. */
    GAP,
    /** What a worker says it holds isn't what the view has of it. */
    MISMATCH,
    /** A record of the log was passed over, or a command refused. */
    REFUSED,
    /** A command began or is over. */
    COMMAND
  }

  /** Copies the collections. */
  public TrailEvent {
    hashes = List.copyOf(hashes);
  }
}
