package io.kvmesh.quickstart.replay;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.quickstart.client.ClientException;

/** Waits until a change that a worker has answered is known to whoever answers lookups. */
@FunctionalInterface
public interface Barrier {

  /** False if it took too long. */
  boolean await(WorkerId worker, long epoch, long sequence)
      throws ClientException, InterruptedException;
}
