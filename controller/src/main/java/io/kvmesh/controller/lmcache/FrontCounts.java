package io.kvmesh.controller.lmcache;

import io.kvmesh.common.count.Counters;
import io.kvmesh.common.zmq.RefusedFrames;
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
    OVERLOAD,
    /** A fault of ours. */
    FAULT
  }

  private final Counters<Door> messages = new Counters<>(Door.class);
  private final Counters<Door> json = new Counters<>(Door.class);
  private final Counters<Door> unsupported = new Counters<>(Door.class);
  private final Counters<Loss> lost = new Counters<>(Loss.class);
  private final RefusedFrames pullGarbage = new RefusedFrames("pull", System::nanoTime);
  private final RefusedFrames replyGarbage = new RefusedFrames("reply", System::nanoTime);
  private final LongAdder conflicts = new LongAdder();
  private volatile int held;

  void message(Door door) {
    messages.count(door);
  }

  void json(Door door) {
    json.count(door);
  }

  RefusedFrames garbage(Door door) {
    return switch (door) {
      case PULL -> pullGarbage;
      case REPLY -> replyGarbage;
    };
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

  /** Registrations and heartbeats under the identity of a live worker at another address. */
  public long conflicts() {
    return conflicts.sum();
  }

  /** Messages of workers unknown to the view that wait for it. */
  public int held() {
    return held;
  }
}
