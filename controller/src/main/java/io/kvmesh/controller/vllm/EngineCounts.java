package io.kvmesh.controller.vllm;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.RefusedFrames;
import java.util.concurrent.atomic.LongAdder;

/** What was met in engines' events since the start. Written by the follower, read by anybody. */
public final class EngineCounts {

  /** Why an event changed nothing. */
  public enum Ignored {
    /** Its blocks have another size: LMCache tells of its chunks in the same stream. */
    BLOCK_SIZE,
    /** Its blocks hold a window of the tokens only. */
    GROUP,
    /** Its medium can't be a location, or is one too many. */
    MEDIUM,
    /** Its type isn't known. */
    TYPE
  }

  /** Why the index was emptied of an engine. */
  public enum Cleared {
    /** The engine has started anew. */
    RESTART,
    /** Events are missing, and the engine doesn't have them any more. */
    GAP,
    /** Nobody can tell whether events are missing: there is no replay, or no answer. */
    UNPROVEN,
    /** The engine said so. */
    TOLD
  }

  private final Counters<Ignored> ignored = new Counters<>(Ignored.class);
  private final Counters<Cleared> cleared = new Counters<>(Cleared.class);
  private final RefusedFrames garbage = new RefusedFrames("vllm", System::nanoTime);
  private final LongAdder batches = new LongAdder();
  private final LongAdder operations = new LongAdder();
  private final LongAdder gaps = new LongAdder();
  private final LongAdder losses = new LongAdder();
  private final LongAdder replays = new LongAdder();
  private final LongAdder replayFailures = new LongAdder();
  private final LongAdder overflows = new LongAdder();
  private final LongAdder logFailures = new LongAdder();

  void ignored(Ignored why) {
    ignored.count(why);
  }

  void cleared(Cleared why) {
    cleared.count(why);
  }

  RefusedFrames garbage() {
    return garbage;
  }

  void batch(int operationCount) {
    batches.increment();
    operations.add(operationCount);
  }

  void gap() {
    gaps.increment();
  }

  void loss() {
    losses.increment();
  }

  void replay() {
    replays.increment();
  }

  void replayFailure() {
    replayFailures.increment();
  }

  void overflow() {
    overflows.increment();
  }

  void logFailure() {
    logFailures.increment();
  }

  /** Events that changed nothing. */
  public long ignoreds(Ignored why) {
    return ignored.get(why);
  }

  /** Times that the index was emptied of an engine. */
  public long cleareds(Cleared why) {
    return cleared.get(why);
  }

  /** Messages that are no batch of events; they change nothing. */
  public long garbages() {
    return garbage.count();
  }

  /** Batches taken, each once unless it was replayed on purpose. */
  public long batches() {
    return batches.sum();
  }

  /** Blocks stored or removed in them. */
  public long operations() {
    return operations.sum();
  }

  /** Times that batches were missing. */
  public long gaps() {
    return gaps.sum();
  }

  /** Times that missing batches were not to be had, though the engine is the same. */
  public long losses() {
    return losses.sum();
  }

  /** Times that past batches were asked for. */
  public long replays() {
    return replays.sum();
  }

  /** Times that the answer didn't come, or not to its end. */
  public long replayFailures() {
    return replayFailures.sum();
  }

  /** Batches that found no room to wait; they were asked for again. */
  public long overflows() {
    return overflows.sum();
  }

  /** Times that the log didn't take what an engine told; it was asked for again. */
  public long logFailures() {
    return logFailures.sum();
  }
}
