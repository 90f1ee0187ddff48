package io.kvmesh.agent.engine;

import io.kvmesh.agent.cache.ChunkPins;
import io.kvmesh.agent.cache.PinOwner;
import io.kvmesh.agent.cache.Pinned;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.engine.EnginePinMsg;
import io.kvmesh.common.wire.engine.EnginePinRetMsg;
import io.kvmesh.common.wire.engine.EngineUnpinMsg;
import io.kvmesh.common.wire.engine.EngineUnpinRetMsg;

/** Pins on behalf of sessions; each session is a group of owners and takes its pins with it. */
final class EnginePins {

  private static final int LONGEST_NAME = 200;

  private final ChunkPins pins;
  private final int maxKeys;
  private final Counters<EngineCount> counters;

  EnginePins(ChunkPins pins, int maxKeys, Counters<EngineCount> counters) {
    this.pins = pins;
    this.maxKeys = maxKeys;
    this.counters = counters;
  }

  EnginePinRetMsg pin(EngineSession session, EnginePinMsg request) throws EngineFault {
    PinOwner owner = owner(session, request.owner());
    Pinned pinned = pins.pin(owner, EngineKeys.parse(request.keys(), maxKeys));
    counters.count(EngineCount.PIN);
    return new EnginePinRetMsg(pinned.chunks(), pinned.tokens(), pinned.refused());
  }

  EngineUnpinRetMsg unpin(EngineSession session, EngineUnpinMsg request) throws EngineFault {
    PinOwner owner = owner(session, request.owner());
    int unpinned =
        request.keys().isEmpty()
            ? pins.unpin(owner)
            : pins.unpin(owner, EngineKeys.parse(request.keys(), maxKeys));
    counters.count(EngineCount.UNPIN);
    return new EngineUnpinRetMsg(unpinned);
  }

  /** Takes off all pins of a session that ends. */
  void end(EngineSession session) {
    pins.unpinGroup(group(session));
  }

  private static PinOwner owner(EngineSession session, String name) throws EngineFault {
    if (name.length() > LONGEST_NAME) {
      throw EngineFault.badRequest(
          "the name of an owner has at most %d characters, this one has %d"
              .formatted(LONGEST_NAME, name.length()));
    }
    return new PinOwner(group(session), name);
  }

  private static String group(EngineSession session) {
    return "engine " + session.id();
  }
}
