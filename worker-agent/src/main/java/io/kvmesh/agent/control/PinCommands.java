package io.kvmesh.agent.control;

import io.kvmesh.agent.cache.ChunkPins;
import io.kvmesh.agent.cache.PinOwner;
import io.kvmesh.agent.cache.Pinned;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerRetMsg;
import java.util.List;

/**
 * Pins on behalf of operators: each event id is an owner. They end by command or by time, like any
 * pin.
 */
final class PinCommands {

  private static final String GROUP = "control";
  private static final int LONGEST_NAME = 200;

  private final ChunkPins pins;
  private final CommandKeys keys;
  private final Counters<ControlCount> counters;

  PinCommands(ChunkPins pins, CommandKeys keys, Counters<ControlCount> counters) {
    this.pins = pins;
    this.keys = keys;
    this.counters = counters;
  }

  PinWorkerRetMsg answer(PinWorkerMsg request) throws CommandFault {
    String name = request.workerEventId();
    if (name.length() > LONGEST_NAME) {
      throw CommandFault.badRequest(
          "an event id has at most %d characters, this one has %d"
              .formatted(LONGEST_NAME, name.length()));
    }
    PinOwner owner = new PinOwner(GROUP, name);
    return Boolean.TRUE.equals(request.unpin()) ? unpin(owner, request) : pin(owner, request);
  }

  private PinWorkerRetMsg pin(PinOwner owner, PinWorkerMsg request) throws CommandFault {
    Pinned pinned = pins.pin(owner, keys.named(request.keys(), request.tokens()));
    counters.count(ControlCount.PIN);
    return new PinWorkerRetMsg(pinned.tokens(), (long) pinned.chunks(), (long) pinned.refused());
  }

  private PinWorkerRetMsg unpin(PinOwner owner, PinWorkerMsg request) throws CommandFault {
    int unpinned =
        namesAll(request)
            ? pins.unpin(owner)
            : pins.unpin(owner, keys.named(request.keys(), request.tokens()));
    counters.count(ControlCount.UNPIN);
    return new PinWorkerRetMsg(0, (long) unpinned, 0L);
  }

  private static boolean namesAll(PinWorkerMsg request) {
    List<String> named = request.keys();
    return named == null ? request.tokens().isEmpty() : named.isEmpty();
  }
}
