package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traces;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjLongConsumer;

/**
 * Pulls a prefix from peers into the cache. Room is claimed first, in key order; what comes is
 * copied into it by the calling thread, checked, and made visible, as long as nothing is missing
 * before it. No two requests pull the same chunk at once: the second waits for the first. Any
 * thread; the caller waits, and may be interrupted, which gives all claimed room back.
 */
public final class PrefixPuller {

  private final ChunkCache cache;
  private final PeerClient client;
  private final PullLimits limits;
  private final Counters<PullCount> counters;
  private final ObjLongConsumer<PullCount> ended;
  private final PullsUnderWay underWay = new PullsUnderWay();

  /**
   * Assigns only.
   *
   * @param ended hears how each pull ended and how many nanoseconds it took
   */
  public PrefixPuller(
      ChunkCache cache,
      PeerClient client,
      PullLimits limits,
      Counters<PullCount> counters,
      ObjLongConsumer<PullCount> ended) {
    this.cache = cache;
    this.client = client;
    this.limits = limits;
    this.counters = counters;
    this.ended = ended;
  }

  /**
   * Pulls the longest prefix of the keys that one of these peers has, from several side by side.
   *
   * @param sources best first; each has its own prefix, from the first key on
   * @param into gets the chunks, and those that are resident already
   */
  public PullOutcome pull(
      List<PullSource> sources, List<ChunkKey> keys, ChunkLease into, Deadline deadline)
      throws InterruptedException {
    long start = System.nanoTime();
    int longest = sources.stream().mapToInt(PullSource::chunks).max().orElse(0);
    List<ChunkKey> held = keys.subList(0, Math.min(longest, keys.size()));
    PullOutcome outcome =
        held.isEmpty()
            ? new PullOutcome.Miss()
            : client
                .traces()
                .ask("peer pull", span -> pullAll(sources, held, into, deadline, span));
    PullCount kind =
        switch (outcome) {
          case PullOutcome.Hit hit -> PullCount.HIT;
          case PullOutcome.Miss miss -> PullCount.MISS;
          case PullOutcome.NoRoom noRoom -> PullCount.NO_ROOM;
          case PullOutcome.Unavailable unavailable -> PullCount.UNAVAILABLE;
          case PullOutcome.Rejected rejected -> PullCount.REJECTED;
          case PullOutcome.Overloaded overloaded -> PullCount.OVERLOADED;
          case PullOutcome.TimedOut timedOut -> PullCount.TIMED_OUT;
          case PullOutcome.Broken broken -> PullCount.BROKEN;
        };
    counters.count(kind);
    ended.accept(kind, System.nanoTime() - start);
    return outcome;
  }

  /** Chunks that are being pulled now. */
  public int chunksUnderWay() {
    return underWay.chunks();
  }

  private PullOutcome pullAll(
      List<PullSource> sources,
      List<ChunkKey> keys,
      ChunkLease into,
      Deadline deadline,
      Traced span)
      throws InterruptedException {
    PullOutcome outcome = pullAll(sources, keys, into, deadline);
    span.tag(Traces.CHUNKS_ASKED, keys.size());
    span.tag(Traces.CHUNKS_FOUND, outcome.chunks());
    span.tag(Traces.OUTCOME, outcome.label());
    return outcome;
  }

  private PullOutcome pullAll(
      List<PullSource> sources, List<ChunkKey> keys, ChunkLease into, Deadline deadline)
      throws InterruptedException {
    int whole = 0;
    while (whole < keys.size()) {
      CompletableFuture<Void> mine = new CompletableFuture<>();
      int end = underWay.take(keys, whole, mine);
      if (end == whole) {
        counters.count(PullCount.SHARED);
        if (!otherEnds(keys.get(whole), deadline)) {
          return new PullOutcome.TimedOut(whole);
        }
        continue;
      }
      List<ChunkKey> run = keys.subList(whole, end);
      PullOutcome outcome;
      try {
        outcome = pullRun(after(sources, whole), run, into, deadline);
      } finally {
        underWay.release(run, mine);
      }
      whole += outcome.chunks();
      if (whole < end || !(outcome instanceof PullOutcome.Hit)) {
        return after(whole, outcome);
      }
    }
    return new PullOutcome.Hit(whole);
  }

  private static List<PullSource> after(List<PullSource> sources, int skipped) {
    return sources.stream().map(it -> it.after(skipped)).toList();
  }

  private PullOutcome pullRun(
      List<PullSource> sources, List<ChunkKey> run, ChunkLease into, Deadline deadline)
      throws InterruptedException {
    LocalPeer self = client.self();
    Reservation.ChunkSize full = new Reservation.ChunkSize(self.pageBytes(), self.chunkTokens());
    try (Reservation room = Reservation.of(cache, run, full, into)) {
      return new PullRun(client, sources, room, deadline, limits, counters).run();
    }
  }

  /** Waits for the other pull of this chunk; false if the deadline passes first. */
  private boolean otherEnds(ChunkKey key, Deadline deadline) throws InterruptedException {
    CompletableFuture<Void> other = underWay.pullOf(key);
    if (other == null) {
      return true;
    }
    try {
      other.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The outcome of the last run, with the chunks of those before it. */
  private static PullOutcome after(int whole, PullOutcome last) {
    return switch (last) {
      case PullOutcome.Hit hit -> new PullOutcome.Hit(whole);
      case PullOutcome.Miss miss -> whole == 0 ? miss : new PullOutcome.Hit(whole);
      case PullOutcome.NoRoom noRoom -> new PullOutcome.NoRoom(whole);
      case PullOutcome.Unavailable was -> new PullOutcome.Unavailable(whole, was.reason());
      case PullOutcome.Rejected was -> new PullOutcome.Rejected(whole, was.code());
      case PullOutcome.Overloaded overloaded -> new PullOutcome.Overloaded(whole);
      case PullOutcome.TimedOut timedOut -> new PullOutcome.TimedOut(whole);
      case PullOutcome.Broken was -> new PullOutcome.Broken(whole, was.reason());
    };
  }
}
