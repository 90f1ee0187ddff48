package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineReply;
import io.kvmesh.common.zmq.Frame;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a piece of work leads to.
 *
 * @param held to be kept in a lease; null = nothing
 * @param read whether the bodies are those of held chunks
 * @param reply made from the id of that lease, 0 if nothing is kept
 * @param bodies that follow the reply
 */
record Outcome(
    @Nullable Held held, boolean read, LongFunction<EngineReply> reply, List<Frame> bodies) {

  static Outcome of(EngineReply reply) {
    return new Outcome(null, false, unused -> reply, List.of());
  }

  /** Nobody gets it. */
  void drop() {
    if (held != null) {
      held.lease().close();
    }
  }
}
