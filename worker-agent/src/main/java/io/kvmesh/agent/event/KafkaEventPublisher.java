package io.kvmesh.agent.event;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.common.wire.event.Announcement;
import java.time.Duration;

/** Writes this worker's life to the log. Signatures; the body follows. */
public final class KafkaEventPublisher {

  /** Nothing is sent before {@link #start}. */
  public KafkaEventPublisher(
      PublisherSettings settings,
      Announcement announcement,
      EventOutbox outbox,
      ChunkCache cache) {
    throw new UnsupportedOperationException("to follow " + settings + announcement + outbox + cache);
  }

  /** Starts the owner thread; returns at once, also while Kafka is away. */
  public void start() {
    throw new UnsupportedOperationException("to follow");
  }

  /** This life's number, −1 before Kafka has acknowledged its WorkerUp. */
  public long epoch() {
    throw new UnsupportedOperationException("to follow");
  }

  /** Whether a later life of this worker is known, so that it must stop offering chunks. */
  public boolean fenced() {
    throw new UnsupportedOperationException("to follow");
  }

  /** Somebody has seen this epoch of this worker alive. */
  public void laterEpochSeen(long otherEpoch) {
    throw new UnsupportedOperationException("to follow " + otherEpoch);
  }

  /** Somebody's view needs a snapshot. */
  public void snapshotWanted(String reason) {
    throw new UnsupportedOperationException("to follow " + reason);
  }

  /** All figures. */
  public PublisherStats stats() {
    throw new UnsupportedOperationException("to follow");
  }

  /** Sends what is queued and a WorkerDown, in this time at most; further calls do nothing. */
  public void close(Duration atMost) {
    throw new UnsupportedOperationException("to follow " + atMost);
  }
}
