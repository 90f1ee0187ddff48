package io.kvmesh.agent.fleet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.Keeping;
import io.kvmesh.agent.transfer.Deadline;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.key.ChunkKey;
import io.kvmesh.common.trace.Traced;
import io.kvmesh.common.trace.Traceparent;
import io.kvmesh.common.trace.Traces;
import io.kvmesh.common.wire.PrefetchOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prefetches prefixes in the background: so many at a time, each on a thread of its own. Those that
 * were over lately are remembered, so many at most. Any thread.
 */
public final class Prefetcher implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Prefetcher.class);

  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int MOST_REMEMBERED = 256;

  /** Whether one was begun. */
  public enum Entry {
    BEGUN,
    /** There is, or was lately, one of that id. */
    DUPLICATE,
    /** As many as may be are under way. */
    BUSY,
    /** This agent keeps no chunks. */
    NOT_KEPT,
    CLOSING
  }

  private record Running(PrefetchRun run, Thread thread) {

    private void cancel() {
      run.cancel();
      thread.interrupt();
    }
  }

  private final ChunkCache cache;
  private final FleetPuller fleet;
  private final int pageBytes;
  private final PrefetchLimits limits;
  private final Counters<PrefetchCount> counters;
  private final Traces traces;
  private final LongSupplier nanoTime;

  /** No other lock is taken under it. */
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<PrefetchId, Running> running = new LinkedHashMap<>();

  /** In the order in which they ended. */
  @GuardedBy("lock")
  private final Map<PrefetchId, PrefetchReport> over = new LinkedHashMap<>();

  @GuardedBy("lock")
  private boolean closing;

  /** Assigns only. */
  public Prefetcher(
      ChunkCache cache,
      FleetPuller fleet,
      int pageBytes,
      PrefetchLimits limits,
      Counters<PrefetchCount> counters,
      Traces traces,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.fleet = fleet;
    this.pageBytes = pageBytes;
    this.limits = limits;
    this.counters = counters;
    this.traces = traces;
    this.nanoTime = nanoTime;
  }

  /**
   * Begins one; returns at once.
   *
   * @param keys of one keyspace, in the order of the prompt
   * @param atMostMillis in which it is to be over; 0 = as long as any may take, which bounds it
   * @param parent of its span; null = it belongs to no other's trace
   * @param whenOver gets its report, on the prefetch's thread
   */
  public Entry begin(
      PrefetchId id,
      List<ChunkKey> keys,
      long atMostMillis,
      @Nullable Traceparent parent,
      Consumer<PrefetchReport> whenOver) {
    if (cache.keeping() != Keeping.HOT) {
      return Entry.NOT_KEPT;
    }
    PrefetchRun run =
        new PrefetchRun(
            id, cache, fleet, keys, pageBytes, limits, deadline(atMostMillis), nanoTime);
    Thread thread =
        Thread.ofPlatform().daemon().name("prefetch").unstarted(() -> run(run, parent, whenOver));
    Entry entry = start(id, new Running(run, thread));
    if (entry == Entry.BUSY) {
      counters.count(PrefetchCount.REFUSED);
    }
    return entry;
  }

  /** As above, as a part of no other's trace. */
  public Entry begin(
      PrefetchId id, List<ChunkKey> keys, long atMostMillis, Consumer<PrefetchReport> whenOver) {
    return begin(id, keys, atMostMillis, null, whenOver);
  }

  private Deadline deadline(long atMostMillis) {
    long longest = limits.longest().toMillis();
    long millis = atMostMillis > 0 ? Math.min(atMostMillis, longest) : longest;
    return Deadline.after(Duration.ofMillis(millis), nanoTime);
  }

  private Entry start(PrefetchId id, Running its) {
    lock.lock();
    try {
      if (closing) {
        return Entry.CLOSING;
      }
      if (running.containsKey(id) || over.containsKey(id)) {
        return Entry.DUPLICATE;
      }
      if (running.size() >= limits.maxRunning()) {
        return Entry.BUSY;
      }
      running.put(id, its);
      its.thread().start();
      return Entry.BEGUN;
    } finally {
      lock.unlock();
    }
  }

  private void run(
      PrefetchRun run, @Nullable Traceparent parent, Consumer<PrefetchReport> whenOver) {
    PrefetchReport report = traces.serveUninterrupted("prefetch", parent, span -> run(run, span));
    ended(report.id(), report);
    whenOver.accept(report);
  }

  private PrefetchReport run(PrefetchRun run, Traced span) {
    PrefetchReport report = run.run();
    span.tag(Traces.CHUNKS_ASKED, report.chunks());
    span.tag(Traces.CHUNKS_PEER, report.count(PrefetchOutcome.BROUGHT));
    span.tag(Traces.OUTCOME, report.state().name().toLowerCase(Locale.ROOT));
    LOG.info(
        "Prefetch {} of {} chunks is over: {} {}{}",
        report.id().name(),
        report.chunks(),
        report.state(),
        report.outcomes(),
        report.reason().isEmpty() ? "" : ", since " + report.reason());
    counters.count(PrefetchCount.of(report.state()));
    report.outcomes().forEach((what, many) -> counters.add(PrefetchCount.of(what), many));
    return report;
  }

  private void ended(PrefetchId id, PrefetchReport report) {
    lock.lock();
    try {
      running.remove(id);
      over.put(id, report);
      Iterator<PrefetchId> oldest = over.keySet().iterator();
      while (over.size() > MOST_REMEMBERED) {
        oldest.next();
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  /** How far it is, or how it ended; empty if it isn't known, or no longer. */
  public Optional<PrefetchReport> find(PrefetchId id) {
    Running its;
    lock.lock();
    try {
      its = running.get(id);
      if (its == null) {
        return Optional.ofNullable(over.get(id));
      }
    } finally {
      lock.unlock();
    }
    return Optional.of(its.run().report());
  }

  /** Ends it if it is under way; how far it is, or how it ended. Doesn't wait for its end. */
  public Optional<PrefetchReport> cancel(PrefetchId id) {
    lock.lock();
    try {
      Running its = running.get(id);
      if (its != null) {
        its.cancel();
      }
    } finally {
      lock.unlock();
    }
    return find(id);
  }

  /** Ends a group's prefetches and forgets those that are over. */
  public void endGroup(String group) {
    lock.lock();
    try {
      over.keySet().removeIf(id -> id.group().equals(group));
      running.forEach(
          (id, its) -> {
            if (id.group().equals(group)) {
              its.cancel();
            }
          });
    } finally {
      lock.unlock();
    }
  }

  /** Those under way. */
  public List<PrefetchReport> underWay() {
    return runs().stream().map(PrefetchRun::report).toList();
  }

  /** How many chunks they hold. */
  public int holding() {
    return runs().stream().mapToInt(PrefetchRun::holding).sum();
  }

  private List<PrefetchRun> runs() {
    lock.lock();
    try {
      return running.values().stream().map(Running::run).toList();
    } finally {
      lock.unlock();
    }
  }

  /** Begins no more, and ends those under way; their reports tell so. */
  @Override
  public void close() {
    List<Thread> threads = new ArrayList<>();
    lock.lock();
    try {
      closing = true;
      for (Running its : running.values()) {
        threads.add(its.thread());
        its.cancel();
      }
    } finally {
      lock.unlock();
    }
    Deadline deadline = Deadline.after(CLOSE, nanoTime);
    try {
      for (Thread thread : threads) {
        if (!thread.join(deadline.remaining())) {
          LOG.warn("A prefetch is still at work after {}", CLOSE);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
