package io.kvmesh.agent.engine.resp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.PendingChunk;
import io.kvmesh.agent.engine.tcp.ChunkDesk;
import io.kvmesh.agent.engine.tcp.DoorCount;
import io.kvmesh.common.key.ChunkKey;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Halves of pairs, each of which waits for its other half: until then nobody finds them. They are
 * few, hold little memory and wait for a while only; the oldest give way. Any thread.
 */
final class HalfPairs {

  private final ChunkDesk desk;
  private final RespSettings.Pairs bounds;
  private final LongSupplier nanoTime;

  /** The oldest first. */
  @GuardedBy("this")
  private final SequencedMap<ChunkKey, Half> halves = new LinkedHashMap<>();

  @GuardedBy("this")
  private long heldBytes;

  @GuardedBy("this")
  private boolean closed;

  /** One of the two is there. */
  private record Half(
      @Nullable PendingChunk body, @Nullable PairMetadata metadata, long sinceNanos) {}

  HalfPairs(ChunkDesk desk, RespSettings.Pairs bounds, LongSupplier nanoTime) {
    this.desk = desk;
    this.bounds = bounds;
    this.nanoTime = nanoTime;
  }

  /** Takes the metadata that waits for this body; where there is none, the body waits. */
  synchronized Optional<PairMetadata> match(PendingChunk body) {
    Half other = take(body.key());
    PairMetadata metadata = other == null ? null : other.metadata();
    if (metadata != null && metadata.length() == body.bytes()) {
      return Optional.of(metadata);
    }
    if (other != null) {
      drop(other, metadata == null ? DoorCount.HALF_PAIR_DROPPED : DoorCount.HALF_PAIR_MISFIT);
    }
    add(body.key(), new Half(body, null, nanoTime.getAsLong()));
    return Optional.empty();
  }

  /**
   * Takes the body that waits for this metadata; where there is none, the metadata waits.
   *
   * @throws RespError if a body waits that has another length; both are forgotten
   */
  synchronized Optional<PendingChunk> match(ChunkKey key, PairMetadata metadata) throws RespError {
    Half other = take(key);
    PendingChunk body = other == null ? null : other.body();
    if (body != null && body.bytes() == metadata.length()) {
      return Optional.of(body);
    }
    if (other != null) {
      drop(other, body == null ? DoorCount.HALF_PAIR_DROPPED : DoorCount.HALF_PAIR_MISFIT);
    }
    if (body != null) {
      throw RespError.of(
          "the metadata tells of %d bytes, but the kv_bytes have %d"
              .formatted(metadata.length(), body.bytes()));
    }
    add(key, new Half(null, metadata, nanoTime.getAsLong()));
    return Optional.empty();
  }

  /** What waits under the key is forgotten. */
  synchronized void forget(ChunkKey key) {
    Half half = take(key);
    if (half != null) {
      drop(half, DoorCount.HALF_PAIR_DROPPED);
    }
  }

  /** Those that have waited for too long are forgotten. */
  synchronized void expire() {
    long now = nanoTime.getAsLong();
    while (!halves.isEmpty()
        && now - halves.firstEntry().getValue().sinceNanos() > bounds.maxWait().toNanos()) {
      dropOldest(DoorCount.HALF_PAIR_EXPIRED);
    }
  }

  /** All are forgotten, and those that come. */
  synchronized void close() {
    closed = true;
    while (!halves.isEmpty()) {
      dropOldest(DoorCount.HALF_PAIR_DROPPED);
    }
  }

  @GuardedBy("this")
  private void add(ChunkKey key, Half half) {
    desk.counters().count(DoorCount.HALF_PAIR);
    halves.put(key, half);
    heldBytes += heldBytes(half);
    while (closed ? !halves.isEmpty() : halves.size() > 1 && isOverBounds()) {
      dropOldest(DoorCount.HALF_PAIR_DROPPED);
    }
  }

  @GuardedBy("this")
  private boolean isOverBounds() {
    return halves.size() > bounds.maxHalves() || heldBytes > bounds.maxHeldBytes();
  }

  @GuardedBy("this")
  private @Nullable Half take(ChunkKey key) {
    Half half = halves.remove(key);
    heldBytes -= half == null ? 0 : heldBytes(half);
    return half;
  }

  @GuardedBy("this")
  private void dropOldest(DoorCount why) {
    Half oldest = halves.pollFirstEntry().getValue();
    heldBytes -= heldBytes(oldest);
    drop(oldest, why);
  }

  private long heldBytes(Half half) {
    return half.body() == null ? 0 : desk.footprint(half.body());
  }

  private void drop(Half half, DoorCount why) {
    desk.counters().count(why);
    if (half.body() != null) {
      desk.abort(half.body());
    }
  }
}
