package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Batches that wait, up to a number of bytes. One thread. */
final class Backlog {

  /** A batch counts for so much more than its bytes. */
  private static final int OVERHEAD_BYTES = 100;

  private final long maxBytes;
  private final Deque<Numbered> waiting = new ArrayDeque<>();
  private long bytes;

  Backlog(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** False if there is no room. */
  boolean add(Numbered batch) {
    if (bytes + size(batch) > maxBytes) {
      return false;
    }
    waiting.addLast(batch);
    bytes += size(batch);
    return true;
  }

  /** One that was taken from here goes back. */
  void putBack(Numbered batch) {
    waiting.addFirst(batch);
    bytes += size(batch);
  }

  @Nullable Numbered poll() {
    Numbered batch = waiting.pollFirst();
    if (batch != null) {
      bytes -= size(batch);
    }
    return batch;
  }

  /** Number of the first; null if there is none. */
  @Nullable Long firstSequence() {
    Numbered batch = waiting.peekFirst();
    return batch == null ? null : batch.sequence();
  }

  void clear() {
    waiting.clear();
    bytes = 0;
  }

  private static long size(Numbered batch) {
    return (long) batch.payload().length + OVERHEAD_BYTES;
  }
}
