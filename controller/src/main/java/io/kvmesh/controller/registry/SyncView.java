package io.kvmesh.controller.registry;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A foreign worker's full syncs, as of one moment of the log.
 *
 * @param wanted why the worker should list all it holds; null = it need not, or is doing so
 * @param wantedMillis the log's time since when it should; −1 = it need not
 * @param latest the one that is under way, or the last one that was; null = none in this life
 */
public record SyncView(@Nullable Wanted wanted, long wantedMillis, @Nullable Sync latest) {

  /** Of a worker that has none and needs none; agents among them. */
  public static final SyncView NONE = new SyncView(null, -1, null);

  /** Why the worker should list all it holds. */
  public enum Wanted {
    /** Operations were missing or came twice. */
    GAP,
    /** It has registered anew while it was alive, or was heard of by a heartbeat only. */
    REREGISTERED,
    /** A part of its log was never read. */
    INCOMPLETE,
    /** The last one came to nothing. */
    FAILED
  }

  /** What has become of one. */
  public enum State {
    /** Under way. */
    RUNNING,
    /** Whole, and applied. */
    COMPLETE,
    /** Given up. */
    FAILED
  }

  /**
   * One full sync. The set is never changed.
   *
   * @param received numbers of the batches that have come
   * @param whole whether no batch is missing; the end may be
   */
  public record Sync(
      String id, String location, State state, int batchCount, BitSet received, boolean whole) {

    /** Numbers of the batches that haven't come, in order; those of one under way only. */
    public List<Integer> missing() {
      if (state != State.RUNNING || whole) {
        return List.of();
      }
      BitSet missing = (BitSet) received.clone();
      missing.flip(0, batchCount);
      return missing.stream().boxed().toList();
    }
  }

  /** Whether one is under way. */
  public boolean isRunning() {
    return latest != null && latest.state() == State.RUNNING;
  }

  /** Whether the worker's keys need no list of it. */
  public boolean isDone() {
    return wanted == null && !isRunning();
  }
}
