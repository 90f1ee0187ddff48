package io.kvmesh.controller.ingest;

import io.kvmesh.common.wire.event.Heartbeat;
import io.kvmesh.controller.index.WorkerProgress;
import io.kvmesh.controller.registry.LastBeat;

/**
 * When a worker was heard in its present life, by the log's clock. Belongs to its reader's thread.
 */
final class SignsOfLife {

  /** Not heard yet. */
  static final long NONE = -1;

  private static final long MAX_BEAT_MILLIS = 60_000;

  private long registeredMillis = NONE;
  private long heartbeatMillis = NONE;
  private long heartbeatOffset = NONE;
  private long beatIntervalMillis;
  private long seenMillis = NONE;
  private LastBeat lastBeat = LastBeat.UNTOLD;

  /** Goes on where another reader stopped. */
  void resume(WorkerProgress progress) {
    registeredMillis = progress.registeredMillis();
    heartbeatMillis = progress.heartbeatMillis();
    heartbeatOffset = progress.heartbeatOffset();
    seenMillis = progress.seenMillis();
  }

  /**
   * A life begins.
   *
   * @param resumed whether it was alive before, and this is as good as a heartbeat
   */
  void begin(LogRecord record, boolean resumed) {
    beatIntervalMillis = 0;
    lastBeat = LastBeat.UNTOLD;
    registeredMillis = record.timestampMillis();
    heartbeatMillis = resumed ? record.timestampMillis() : NONE;
    heartbeatOffset = resumed ? record.offset() : NONE;
  }

  /** A record of this life, whatever it says. */
  void seen(LogRecord record) {
    seenMillis = record.timestampMillis();
  }

  /**
   * A heartbeat.
   *
   * @param record that holds it
   * @param foreign whether the worker chooses itself how often it has one
   */
  void heartbeat(Heartbeat heartbeat, LogRecord record, boolean foreign) {
    if (foreign && heartbeatMillis != NONE) {
      // Others come between them while it has a full sync, so the longest fades but slowly.
      long interval = Math.min(record.timestampMillis() - heartbeatMillis, MAX_BEAT_MILLIS);
      beatIntervalMillis = Math.max(interval, beatIntervalMillis * 9 / 10);
    }
    heartbeatMillis = record.timestampMillis();
    heartbeatOffset = record.offset();
    Long sent = heartbeat.sentMillis();
    Long ahead = sent == null ? null : sent - record.timestampMillis();
    lastBeat = new LastBeat(ahead, heartbeat.drain());
  }

  /** What the last heartbeat told; nothing where another reader has read it. */
  LastBeat lastBeat() {
    return lastBeat;
  }

  long registeredMillis() {
    return registeredMillis;
  }

  long heartbeatMillis() {
    return heartbeatMillis;
  }

  /** Offset of the last heartbeat. */
  long heartbeatOffset() {
    return heartbeatOffset;
  }

  /** Time between a foreign worker's heartbeats, the longest of late; 0 = not known. */
  long beatIntervalMillis() {
    return beatIntervalMillis;
  }

  long seenMillis() {
    return seenMillis;
  }
}
