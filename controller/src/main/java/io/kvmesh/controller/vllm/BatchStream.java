package io.kvmesh.controller.vllm;

import io.kvmesh.common.wire.codec.KvEventFrames.Numbered;
import io.kvmesh.common.wire.event.EnginePosition;
import io.kvmesh.controller.vllm.EngineCounts.Cleared;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Puts an engine's batches in order, whole and each once, from what it publishes and what it gives
 * again. Where nobody can tell whether the engine is still the same, all is begun anew. Where it is
 * the same but batches are lost for good, what it told before stays, and is known to have a hole: a
 * block that is wrongly listed costs a router less than a prompt's first blocks that are not.
 *
 * <p>That nothing is missing is known while numbers follow each other on one connection. After any
 * other the last batch is asked for again, and what came after it: the same bytes under the same
 * number are of the same life of the engine. A replay may have holes, since an engine drops what a
 * slow reader doesn't take; as long as one gets on, the rest is asked for again. Knows no sockets
 * and no time. One thread.
 */
final class BatchStream {

  private static final long NONE = -1;

  private final Replays replays;
  private final BatchSink sink;
  private final EngineCounts counts;
  private final Backlog backlog;
  private Phase phase = Phase.UNCONNECTED;

  /** Number and check of the last batch taken; NONE = of this life none. */
  private long last = NONE;

  private long check;

  /** Whether the last batch is known to be of the life that the connection leads to. */
  private boolean sameLife;

  /** Whether the next batch may have any number above the last. */
  private boolean anyStart;

  /** Batches up to that number came by a replay; they may still come as they were published. */
  private long replayedUntil = NONE;

  /** Whether a batch found no room in the backlog. */
  private boolean dropped;

  /** Whether something is known of the engine, and why it would be void. */
  private boolean known;

  private Cleared reason = Cleared.UNPROVEN;

  // Of the replay under way.
  private boolean probe;
  private boolean first;
  private boolean hole;
  private boolean progress;

  private enum Phase {
    UNCONNECTED,
    REPLAYING,
    /** The replay had a hole for want of room in the sink. */
    WAITING_FOR_ROOM,
    FOLLOWING
  }

  BatchStream(Replays replays, BatchSink sink, EngineCounts counts, Backlog backlog) {
    this.replays = replays;
    this.sink = sink;
    this.counts = counts;
    this.backlog = backlog;
  }

  /** What is known of the engine is that, or nothing. */
  void resume(@Nullable EnginePosition position) {
    last = position == null ? NONE : position.sequence();
    check = position == null ? 0 : position.check();
    known = position != null;
    anyStart = false;
  }

  /** There is a new connection. */
  void connected() {
    disconnected();
    catchUp(Cleared.UNPROVEN);
    drain();
  }

  /** There is no connection any more. */
  void disconnected() {
    phase = Phase.UNCONNECTED;
    sameLife = false;
    replays.abort();
    backlog.clear();
    dropped = false;
    replayedUntil = NONE;
  }

  /** Whether all that the engine has told is taken, as far as can be known. */
  boolean isFollowing() {
    return phase == Phase.FOLLOWING || (phase == Phase.REPLAYING && probe);
  }

  /** A batch was published. */
  void published(Numbered batch) {
    if (phase != Phase.UNCONNECTED && !backlog.add(batch)) {
      counts.overflow();
      dropped = true;
    }
    drain();
  }

  /** To be called now and then: there may be room again. */
  void tick() {
    if (phase == Phase.WAITING_FOR_ROOM && sink.hasRoom()) {
      ask();
    }
    drain();
  }

  /** Asks whether something was published that didn't come. */
  void probe() {
    if (phase == Phase.FOLLOWING && last != NONE && replays.available()) {
      ask();
      probe = true;
    }
  }

  private void drain() {
    while (phase == Phase.FOLLOWING && sink.hasRoom()) {
      Numbered batch = backlog.poll();
      if (batch != null) {
        accept(batch);
      } else if (dropped) {
        dropped = false;
        catchUp(Cleared.GAP);
      } else {
        return;
      }
    }
  }

  private void accept(Numbered batch) {
    long sequence = batch.sequence();
    if (anyStart && sequence > last) {
      startAt(batch);
    } else if (sequence == last + 1) {
      replayedUntil = NONE;
      apply(batch);
    } else if (sequence > last) {
      counts.gap();
      backlog.putBack(batch);
      catchUp(Cleared.GAP);
    } else if (sequence > replayedUntil) {
      last = NONE;
      backlog.putBack(batch);
      catchUp(Cleared.RESTART);
    }
  }

  private void startAt(Numbered batch) {
    if (batch.sequence() == 0) {
      sink.begin(false);
    }
    anyStart = false;
    apply(batch);
  }

  private void apply(Numbered batch) {
    last = batch.sequence();
    check = checkOf(batch);
    sameLife = true;
    sink.apply(batch, check);
  }

  private static long checkOf(Numbered batch) {
    CRC32C crc = new CRC32C();
    crc.update(batch.payload());
    return crc.getValue();
  }

  private void catchUp(Cleared why) {
    reason = why;
    if (replays.available()) {
      ask();
    } else {
      loseTrack();
    }
  }

  private void ask() {
    phase = Phase.REPLAYING;
    probe = false;
    first = true;
    hole = false;
    progress = false;
    counts.replay();
    replays.ask(Math.max(last, 0));
  }

  /** What was missed isn't to be had; from the next batch on what the engine changes is known. */
  private void loseTrack() {
    if (sameLife && last != NONE) {
      counts.loss();
      sink.missed();
    } else {
      begin(true);
      last = NONE;
    }
    anyStart = true;
    follow();
  }

  private void begin(boolean incomplete) {
    if (known) {
      counts.cleared(reason);
    }
    known = true;
    anyStart = false;
    sink.begin(incomplete);
  }

  private void follow() {
    phase = Phase.FOLLOWING;
    replayedUntil = last;
  }

  /** The engine gave a batch again, or said that there is no further one. */
  void replayed(Numbered batch) {
    if (phase == Phase.REPLAYING) {
      if (batch.isEnd()) {
        replayEnded();
      } else if (!first || continues(batch)) {
        first = false;
        take(batch);
      }
    }
    drain();
  }

  /** Whether a replay that begins with the batch tells of the same life; else it is begun anew. */
  private boolean continues(Numbered batch) {
    if (last == NONE) {
      begin(batch.sequence() > 0);
      last = batch.sequence() - 1;
      return true;
    }
    if (batch.sequence() == last && checkOf(batch) == check) {
      sameLife = true;
      return true;
    }
    if (sameLife && batch.sequence() > last) {
      skipTo(batch.sequence());
      return true;
    }
    askFromTheStart(batch.sequence() > last ? Cleared.GAP : Cleared.RESTART);
    return false;
  }

  /** The engine has no batch before that one any more. */
  private void skipTo(long sequence) {
    if (sequence > last + 1) {
      counts.loss();
      sink.missed();
    }
    last = sequence - 1;
  }

  private void askFromTheStart(Cleared why) {
    reason = why;
    last = NONE;
    ask();
  }

  private void take(Numbered batch) {
    if (batch.sequence() <= last || hole) {
      return;
    }
    if (batch.sequence() > last + 1 || !sink.hasRoom()) {
      hole = true;
      return;
    }
    apply(batch);
    progress = true;
  }

  private void replayEnded() {
    if (first) {
      nothingReplayed();
    } else if (!hole) {
      follow();
    } else if (!sink.hasRoom()) {
      phase = Phase.WAITING_FOR_ROOM;
    } else if (progress) {
      ask();
    } else {
      reason = Cleared.GAP;
      loseTrack();
    }
  }

  private void nothingReplayed() {
    if (last != NONE && !sameLife) {
      // An engine that has published less than is known.
      askFromTheStart(Cleared.RESTART);
    } else if (last != NONE && probe) {
      follow();
    } else if (last != NONE || waitsForMoreThanTheFirst()) {
      // An engine that keeps nothing.
      loseTrack();
    } else {
      begin(false);
      follow();
    }
  }

  private boolean waitsForMoreThanTheFirst() {
    Long waiting = backlog.firstSequence();
    return waiting != null && waiting > 0;
  }

  /** The replay didn't come to its end in time. */
  void replayFailed() {
    if (phase != Phase.REPLAYING) {
      return;
    }
    counts.replayFailure();
    if (progress) {
      ask();
    } else if (probe) {
      follow();
    } else {
      loseTrack();
    }
    drain();
  }
}
