package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.zmq.Frame;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a piece of work leads to.
 *
 * @param kept by the session; null = nothing
 * @param read whether the client has the bodies, or where they are, of what is kept
 * @param reply made from the id under which that is kept, 0 if nothing is
 * @param bodies that follow the reply
 */
record Outcome(
    @Nullable Kept kept, boolean read, LongFunction<EngineReply> reply, List<Frame> bodies) {

  static Outcome of(EngineReply reply) {
    return new Outcome(null, false, unused -> reply, List.of());
  }

  /** Nobody gets it. */
  void drop() {
    if (kept != null) {
      kept.giveBack();
    }
  }
}
