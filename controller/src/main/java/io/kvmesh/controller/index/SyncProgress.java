package io.kvmesh.controller.index;

import java.util.BitSet;

/**
 * A foreign worker's full sync of a location, as far as the log has told it: unlike an agent's
 * snapshot its batches may come in any order. The set is never changed.
 *
 * @param totalKeys as the start told; an empty list needs no batch
 * @param received numbers of the batches that have come
 * @param ended whether the worker has told the end; batches may still be missing
 * @param lastMillis the log's time of its last record
 */
public record SyncProgress(
    String id,
    State state,
    long totalKeys,
    int batchCount,
    BitSet received,
    boolean ended,
    long lastMillis) {

  /** What has become of it. */
  public enum State {
    /** Under way. */
    RUNNING,
    /** Every batch has come, and the end: the location holds what it named. */
    COMPLETE,
    /** Given up: nothing was dropped. */
    FAILED
  }

  /** One that has just begun. */
  public static SyncProgress started(String id, long totalKeys, int batchCount, long millis) {
    return new SyncProgress(id, State.RUNNING, totalKeys, batchCount, new BitSet(), false, millis);
  }

  /** Whether it is under way. */
  public boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Whether a batch of that number is missing. */
  public boolean lacks(int batchId) {
    return batchId >= 0 && batchId < batchCount && !received.get(batchId);
  }

  /** Whether no batch is missing. */
  public boolean hasAllBatches() {
    return totalKeys == 0 || received.cardinality() == batchCount;
  }

  /** Whether nothing is missing, the end included. */
  public boolean isWhole() {
    return ended && hasAllBatches();
  }

  /** After a batch. */
  public SyncProgress withBatch(int batchId, long millis) {
    BitSet more = (BitSet) received.clone();
    more.set(batchId);
    return new SyncProgress(id, state, totalKeys, batchCount, more, ended, millis);
  }

  /** After a record that is neither a whole batch nor the end. */
  public SyncProgress at(long millis) {
    return new SyncProgress(id, state, totalKeys, batchCount, received, ended, millis);
  }

  /** After the end was told. */
  public SyncProgress withEnd(long millis) {
    return new SyncProgress(id, state, totalKeys, batchCount, received, true, millis);
  }

  /** When it is over. */
  public SyncProgress over(State how) {
    return new SyncProgress(id, how, totalKeys, batchCount, received, ended, lastMillis);
  }
}
