package io.kvmesh.controller.trail;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.common.key.WorkerId;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The latest events of each kind, in memory. To add one costs an object and a lock that nobody
 * holds for longer than it takes to copy references. Any thread.
 */
public final class Trail {

  /** Batches of operations that are kept. */
  public static final int BATCHES = 8192;

  /** Events that are kept of each other kind. */
  public static final int OTHERS = 1024;

  /** Ids after a start are above those before it, unless there were more a second all the time. */
  private static final long IDS_A_MILLI = 1000;

  private static final int LONGEST_TEXT = 300;

  private final InstantSource clock;

  /** Before the first event of this program. */
  private final long first;

  @GuardedBy("this")
  private final Map<Kind, Ring> rings = new EnumMap<>(Kind.class);

  @GuardedBy("this")
  private long last;

  public Trail(InstantSource clock) {
    this.clock = clock;
    this.first = clock.millis() * IDS_A_MILLI;
    this.last = first;
    for (Kind kind : Kind.values()) {
      rings.put(kind, new Ring(kind == Kind.OPERATIONS ? BATCHES : OTHERS));
    }
  }

  /** Of one kind; the caller has the lock. */
  private static final class Ring {

    private final @Nullable TrailEvent[] slots;
    private long added;

    /** Id of the last one that had to go; −1 = none had. */
    private long lastGone = -1;

    Ring(int size) {
      this.slots = new @Nullable TrailEvent[size];
    }

    void add(TrailEvent event) {
      int slot = (int) (added++ % slots.length);
      TrailEvent old = slots[slot];
      if (old != null) {
        lastGone = old.id();
      }
      slots[slot] = event;
    }

    long gone() {
      return Math.max(0, added - slots.length);
    }

    void copyAfter(long id, List<TrailEvent> into) {
      for (TrailEvent event : slots) {
        if (event != null && event.id() > id) {
          into.add(event);
        }
      }
    }
  }

  /** A batch that was applied; its arguments are those of {@link TrailEvent}. */
  public synchronized void addBatch(
      long millis,
      WorkerId worker,
      long epoch,
      long sequence,
      int admits,
      int evicts,
      List<Long> hashes,
      String location,
      String keyspace) {
    ring(Kind.OPERATIONS)
        .add(
            new TrailEvent(
                ++last,
                millis,
                Kind.OPERATIONS,
                worker.instanceId(),
                worker.rank(),
                epoch,
                sequence,
                admits,
                evicts,
                hashes,
                location,
                keyspace));
  }

  /** Something that a record of a worker told. */
  public void add(
      Kind kind,
      long millis,
      WorkerId worker,
      long epoch,
      long sequence,
      @Nullable String location,
      String text) {
    add(kind, millis, worker.instanceId(), worker.rank(), epoch, sequence, location, text);
  }

  /** Something that was seen now. */
  public void add(Kind kind, @Nullable String instanceId, @Nullable Integer rank, String text) {
    add(kind, clock.millis(), instanceId, rank, -1, -1, null, text);
  }

  /** Something of a worker that was seen now. */
  public void add(Kind kind, WorkerId worker, long epoch, long sequence, String text) {
    add(kind, clock.millis(), worker, epoch, sequence, null, text);
  }

  private synchronized void add(
      Kind kind,
      long millis,
      @Nullable String instanceId,
      @Nullable Integer rank,
      long epoch,
      long sequence,
      @Nullable String location,
      String text) {
    ring(kind)
        .add(
            new TrailEvent(
                ++last,
                millis,
                kind,
                instanceId == null ? null : shorten(instanceId),
                rank,
                epoch,
                sequence,
                0,
                0,
                List.of(),
                location,
                shorten(text)));
  }

  private static String shorten(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
  }

  @GuardedBy("this")
  private Ring ring(Kind kind) {
    return requireNonNull(rings.get(kind));
  }

  /**
   * What followed an event; without one, or if it isn't of this program, the latest.
   *
   * @param after id of the event
   * @param kinds that are looked for
   * @param which of these are wanted
   * @param limit how many at most
   */
  public TrailPage read(
      @Nullable Long after, Set<Kind> kinds, Predicate<TrailEvent> which, int limit) {
    List<TrailEvent> kept = new ArrayList<>();
    long end;
    boolean known;
    long missed;
    synchronized (this) {
      end = last;
      known = after != null && after >= first && after <= last;
      long from = known && after != null ? after : first;
      kinds.forEach(kind -> ring(kind).copyAfter(from, kept));
      missed = known ? missed(from, kinds, kept.size()) : 0;
    }
    kept.removeIf(which.negate());
    kept.sort(Comparator.comparingLong(TrailEvent::id));
    boolean all = kept.size() <= limit;
    List<TrailEvent> told =
        known
            ? kept.subList(0, Math.min(limit, kept.size()))
            : kept.subList(Math.max(0, kept.size() - limit), kept.size());
    long next = known && !all ? told.getLast().id() : end;
    return new TrailPage(next, after != null && !known, missed, told);
  }

  /** Those of the kinds that have gone, of the events after an id; at most so many. */
  @GuardedBy("this")
  private long missed(long from, Set<Kind> kinds, int kept) {
    long gone = 0;
    for (Kind kind : kinds) {
      gone += ring(kind).lastGone > from ? ring(kind).gone() : 0;
    }
    return Math.min(gone, last - from - kept);
  }
}
