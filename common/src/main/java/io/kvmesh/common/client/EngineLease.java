package io.kvmesh.common.client;

import java.util.concurrent.atomic.AtomicBoolean;

/** Chunks that the agent holds for this client, until it is closed. Any thread. */
public final class EngineLease implements AutoCloseable {

  private final EngineClient client;
  private final long id;
  private final AtomicBoolean closed = new AtomicBoolean();

  EngineLease(EngineClient client, long id) {
    this.client = client;
    this.id = id;
  }

  /** At the agent; 0 = none. */
  long id() {
    return id;
  }

  /**
   * A use of its first chunks, the last of them first.
   *
   * @return how many were used
   */
  public int touch(int chunks) throws EngineClientException, InterruptedException {
    return client.touch(id, chunks);
  }

  /** Lets go of them; doesn't wait for the agent. Idempotent. */
  @Override
  public void close() {
    if (id != 0 && closed.compareAndSet(false, true)) {
      client.release(id);
    }
  }
}
