package io.kvmesh.agent.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.kvmesh.agent.cache.CacheEventSink;
import io.kvmesh.agent.cache.RemovalCause;
import io.kvmesh.agent.event.OutboxItem.Mark;
import io.kvmesh.agent.event.OutboxItem.Operations;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.wire.OpType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the cache's events and keeps them, in order, until the publisher takes them. Bounded, and
 * never in the way of the cache: an event that finds it full is dropped, and so are all that
 * follow, until the publisher {@linkplain #resume resumes} with the start of a snapshot. What was
 * queued before the hole still goes out. Between two events there may be marks: heartbeats and
 * parts of snapshots, which have their place in that order.
 *
 * <p>Filled under the cache's lock, taken from by one publisher. Its own monitor is held for the
 * copying of at most one record's events.
 */
public final class EventOutbox implements CacheEventSink {

  /** The publisher queues no more marks than this at a time. */
  static final int MAX_MARKS = 4;

  private final int capacity;

  /** A ring of the entries that wait: {@code size} from {@code head} on. */
  @GuardedBy("this")
  private final @Nullable Object[] subjects;

  /** Beside an event its type, beside a mark null. */
  @GuardedBy("this")
  private final @Nullable OpType[] types;

  @GuardedBy("this")
  private final long[] hashBits;

  @GuardedBy("this")
  private int head;

  @GuardedBy("this")
  private int size;

  @GuardedBy("this")
  private int marks;

  /** Number of the last event, and of the first one that waits. */
  @GuardedBy("this")
  private long sequence;

  @GuardedBy("this")
  private long nextSequence = 1;

  @GuardedBy("this")
  private boolean accepting = true;

  @GuardedBy("this")
  private long dropped;

  @GuardedBy("this")
  private long overflows;

  @GuardedBy("this")
  private int signalAt = 1;

  private volatile Runnable signal = () -> {};

  /** An empty outbox for so many events. */
  public EventOutbox(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("An outbox holds at least 1 event, got " + capacity);
    }
    this.capacity = capacity;
    int slots = Math.addExact(capacity, MAX_MARKS);
    this.subjects = new Object[slots];
    this.types = new OpType[slots];
    this.hashBits = new long[slots];
  }

  @Override
  public long admitted(Keyspace keyspace, long bits) {
    return append(OpType.ADMIT, keyspace, bits);
  }

  @Override
  public long evicted(Keyspace keyspace, long bits, RemovalCause cause) {
    return append(OpType.EVICT, keyspace, bits);
  }

  @Override
  public synchronized long sequence() {
    return sequence;
  }

  private synchronized long append(OpType type, Keyspace keyspace, long bits) {
    sequence++;
    if (accepting && size - marks == capacity) {
      accepting = false;
      overflows++;
      signal.run();
    }
    if (accepting) {
      put(type, keyspace, bits);
      signalIfDue();
    } else {
      dropped++;
    }
    return sequence;
  }

  @GuardedBy("this")
  private void put(@Nullable OpType type, Object subject, long bits) {
    int index = wrap(head + size);
    subjects[index] = subject;
    types[index] = type;
    hashBits[index] = bits;
    size++;
  }

  @GuardedBy("this")
  private void signalIfDue() {
    if (size >= signalAt) {
      signalAt = Integer.MAX_VALUE;
      signal.run();
    }
  }

  // What follows is for the publisher.

  /** The signal runs under the cache's lock; it must be short. */
  void signalBy(Runnable wakePublisher) {
    signal = wakePublisher;
  }

  /** Signals, once, when so many entries wait; at once if they do. */
  synchronized void signalAt(int entries) {
    signalAt = entries;
    signalIfDue();
  }

  /** Queues a heartbeat; answers false if there are too many marks. */
  synchronized boolean addHeartbeat(OutboxItem.HeartbeatMark mark) {
    return addMark(mark);
  }

  /** Queues a part of a snapshot; answers false if events were lost since its start. */
  synchronized boolean addSnapshotPart(Mark mark) {
    return accepting && addMark(mark);
  }

  /**
   * Ends the dropping of events: the start of a snapshot tells where the log goes on. Called under
   * the cache's lock, so that no event is lost in between.
   */
  synchronized void resume(OutboxItem.StartMark start) {
    if (accepting || size != 0) {
      throw new IllegalStateException("An outbox resumes empty, after a loss");
    }
    accepting = true;
    nextSequence = sequence + 1;
    addMark(start);
  }

  @GuardedBy("this")
  private boolean addMark(Mark mark) {
    if (marks == MAX_MARKS) {
      return false;
    }
    put(null, mark, 0);
    marks++;
    return true;
  }

  /** Drops all that waits and all that follows, until it is resumed. */
  synchronized void fail() {
    dropped += size - marks;
    Arrays.fill(subjects, null);
    head = 0;
    size = 0;
    marks = 0;
    accepting = false;
  }

  /** Takes the next mark, or as many events as fit in a record; null if nothing waits. */
  synchronized @Nullable OutboxItem take(int maxEvents) {
    if (size == 0) {
      return null;
    }
    if (subjects[head] instanceof Mark mark) {
      drop(1);
      marks--;
      return mark;
    }
    int count = run(maxEvents);
    Operations operations =
        new Operations((Keyspace) subject(head), nextSequence, new OpType[count], new long[count]);
    for (int i = 0; i < count; i++) {
      int index = wrap(head + i);
      operations.types()[i] = type(index);
      operations.hashBits()[i] = hashBits[index];
    }
    nextSequence += count;
    drop(count);
    return operations;
  }

  /** Length of the run of events of one keyspace at the head. */
  @GuardedBy("this")
  private int run(int maxEvents) {
    Object keyspace = subject(head);
    int count = 1;
    while (count < size && count < maxEvents && keyspace.equals(subjects[wrap(head + count)])) {
      count++;
    }
    return count;
  }

  @GuardedBy("this")
  private void drop(int count) {
    for (int i = 0; i < count; i++) {
      subjects[wrap(head + i)] = null;
    }
    head = wrap(head + count);
    size -= count;
  }

  @GuardedBy("this")
  private Object subject(int index) {
    Object subject = subjects[index];
    if (subject == null) {
      throw new IllegalStateException("Nothing waits at " + index);
    }
    return subject;
  }

  @GuardedBy("this")
  private OpType type(int index) {
    OpType type = types[index];
    if (type == null) {
      throw new IllegalStateException("No event waits at " + index);
    }
    return type;
  }

  private int wrap(int index) {
    int slots = capacity + MAX_MARKS;
    return index < slots ? index : index - slots;
  }

  /** Entries that wait. */
  synchronized int size() {
    return size;
  }

  /** Whether a mark waits. */
  synchronized boolean hasMarks() {
    return marks > 0;
  }

  /** Whether less than half of the room for events is taken. */
  synchronized boolean underHalfFull() {
    return size - marks < (capacity + 1) / 2;
  }

  /** False from a loss of events until it is resumed. */
  synchronized boolean accepting() {
    return accepting;
  }

  int capacity() {
    return capacity;
  }

  synchronized long dropped() {
    return dropped;
  }

  synchronized long overflows() {
    return overflows;
  }
}
