package io.kvmesh.controller.lmcache;

import static java.util.Objects.requireNonNull;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.RefusedFrames;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the sockets have met since the start. Written by the front, read by anybody. */
public final class FrontCounts {

  /** One of the sockets that workers use. */
  public enum Door {
    /** One-way messages. */
    PULL,
    /** Requests. */
    REPLY,
    /** Heartbeats alone. LMCache counts them with the requests. */
    HEARTBEAT
  }

  /** Why a good message came to nothing. */
  public enum Loss {
    /** The log, read up to the moment of its arrival, knows no such worker. */
    UNKNOWN_WORKER,
    /** Too many messages of unknown workers waited already. */
    NO_ROOM,
    /** The worker writes to the log itself. */
    AGENT,
    /** A request with a name or an address that can't be; its reply says which. */
    BAD_VALUE,
    /** A batch of a full sync with a number that can't be. */
    BATCH_NUMBER,
    /** The log did not take it. */
    LOG,
    /** The reply could not be delivered. */
    NO_ROUTE,
    /** Too many requests waited already. */
    OVERLOAD,
    /** A fault of ours. */
    FAULT
  }

  private final Counters<Door> messages = new Counters<>(Door.class);
  private final Counters<Door> json = new Counters<>(Door.class);
  private final Counters<Door> unsupported = new Counters<>(Door.class);
  private final Counters<Loss> lost = new Counters<>(Loss.class);
  private final Counters<Door> begun = new Counters<>(Door.class);
  private final Counters<Door> ended = new Counters<>(Door.class);
  private final Map<Door, RefusedFrames> garbage = new EnumMap<>(Door.class);
  private final LongAdder conflicts = new LongAdder();
  private final LongAdder clashes = new LongAdder();
  private final LongAdder badTraceparents = new LongAdder();
  private final LongAdder pullPauses = new LongAdder();
  private volatile int held;

  /** All at zero. */
  public FrontCounts() {
    for (Door door : Door.values()) {
      garbage.put(door, new RefusedFrames(door.name().toLowerCase(Locale.ROOT), System::nanoTime));
    }
  }

  void message(Door door) {
    messages.count(door);
  }

  void json(Door door) {
    json.count(door);
  }

  RefusedFrames garbage(Door door) {
    return requireNonNull(garbage.get(door));
  }

  void begin(Door door) {
    begun.count(door);
  }

  void end(Door door) {
    ended.count(door);
  }

  void unsupported(Door door) {
    unsupported.count(door);
  }

  void lost(Loss loss) {
    lost.count(loss);
  }

  void conflict() {
    conflicts.increment();
  }

  void clash() {
    clashes.increment();
  }

  void badTraceparent() {
    badTraceparents.increment();
  }

  void pullPaused() {
    pullPauses.increment();
  }

  void held(int now) {
    held = now;
  }

  /** Frames that were a message. */
  public long messages(Door door) {
    return messages.get(door);
  }

  /** Those of them that came as JSON. */
  public long jsons(Door door) {
    return json.get(door);
  }

  /** Messages that are being handled, or wait for the log or the view before their reply. */
  public long active(Door door) {
    return Math.max(0, begun.get(door) - ended.get(door));
  }

  /** Frames that were none. */
  public long garbages(Door door) {
    return garbage(door).count();
  }

  /** Messages that the socket doesn't serve. */
  public long unsupporteds(Door door) {
    return unsupported.get(door);
  }

  /** Messages that came to nothing. */
  public long losses(Loss loss) {
    return lost.get(loss);
  }

  /** Messages of a second process under the identity of one that lives, too. */
  public long conflicts() {
    return conflicts.sum();
  }

  /** Registrations and heartbeats refused for the identity or an address of a live worker. */
  public long clashes() {
    return clashes.sum();
  }

  /** Lookups with a traceparent that is none; they are answered without their trace. */
  public long badTraceparents() {
    return badTraceparents.sum();
  }

  /** Times that pushed messages were left in their sockets until the log had room again. */
  public long pullPauses() {
    return pullPauses.sum();
  }

  /** Messages of workers unknown to the view that wait for it. */
  public int held() {
    return held;
  }
}
