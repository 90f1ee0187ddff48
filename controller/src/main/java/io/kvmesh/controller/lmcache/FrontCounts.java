package io.kvmesh.controller.lmcache;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the sockets have met since the start. Written by the front, read by anybody. */
public final class FrontCounts {

  /** One of the sockets that workers use. */
  public enum Door {
    /** One-way messages. */
    PULL,
    /** Requests. */
    REPLY
  }

  /** Why a good message came to nothing. */
  public enum Loss {
    /** The log, read up to the moment of its arrival, knows no such worker. */
    UNKNOWN_WORKER,
    /** Too many messages of unknown workers waited already. */
    NO_ROOM,
    /** The worker writes to the log itself. */
    AGENT,
    /** The log did not take it. */
    LOG,
    /** The reply could not be delivered. */
    NO_ROUTE,
    /** Too many requests waited already. */
    OVERLOAD
  }

  private final Map<Door, LongAdder> messages = adders(Door.class);
  private final Map<Door, LongAdder> garbage = adders(Door.class);
  private final Map<Door, LongAdder> unsupported = adders(Door.class);
  private final Map<Loss, LongAdder> lost = adders(Loss.class);
  private final LongAdder conflicts = new LongAdder();
  private volatile int held;

  private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> type) {
    Map<E, LongAdder> adders = new EnumMap<>(type);
    for (E constant : type.getEnumConstants()) {
      adders.put(constant, new LongAdder());
    }
    return adders;
  }

  private static <E extends Enum<E>> LongAdder of(Map<E, LongAdder> adders, E constant) {
    LongAdder adder = adders.get(constant);
    if (adder == null) {
      throw new IllegalArgumentException("no counter for " + constant);
    }
    return adder;
  }

  void message(Door door) {
    of(messages, door).increment();
  }

  void garbage(Door door) {
    of(garbage, door).increment();
  }

  void unsupported(Door door) {
    of(unsupported, door).increment();
  }

  void lost(Loss loss) {
    of(lost, loss).increment();
  }

  void conflict() {
    conflicts.increment();
  }

  void held(int now) {
    held = now;
  }

  /** Frames that were a message. */
  public long messages(Door door) {
    return of(messages, door).sum();
  }

  /** Frames that were none. */
  public long garbages(Door door) {
    return of(garbage, door).sum();
  }

  /** Messages that the socket doesn't serve. */
  public long unsupporteds(Door door) {
    return of(unsupported, door).sum();
  }

  /** Messages that came to nothing. */
  public long losses(Loss loss) {
    return of(lost, loss).sum();
  }

  /** Registrations and heartbeats under the identity of a live worker at another address. */
  public long conflicts() {
    return conflicts.sum();
  }

  /** Messages of workers unknown to the view that wait for it. */
  public int held() {
    return held;
  }
}
