package io.kvmesh.common.client;

import io.kvmesh.common.wire.engine.EnginePrefetchCancelMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressMsg;
import io.kvmesh.common.wire.engine.EnginePrefetchProgressRetMsg;

/**
 * A prefix on its way to the agent, in the background. It goes on whether anybody asks for it or
 * not, until it is over, cancelled, or its client closed. Any thread.
 */
public final class EnginePrefetch {

  private final EngineClient client;
  private final long id;

  EnginePrefetch(EngineClient client, long id) {
    this.client = client;
    this.id = id;
  }

  /** How far it is. */
  public EnginePrefetchProgressRetMsg progress()
      throws EngineClientException, InterruptedException {
    return client.ask(
        EnginePrefetchProgressRetMsg.class, new EnginePrefetchProgressMsg(client.id(), id));
  }

  /** Ends it soon, if it isn't over; how far it is. What it has brought stays with the agent. */
  public EnginePrefetchProgressRetMsg cancel() throws EngineClientException, InterruptedException {
    return client.ask(
        EnginePrefetchProgressRetMsg.class, new EnginePrefetchCancelMsg(client.id(), id));
  }
}
