package io.kvmesh.quickstart.replay;

import io.kvmesh.common.key.WorkerId;
import io.kvmesh.common.wire.directory.AppliedRetMsg;
import io.kvmesh.quickstart.client.ClientException;

/** Waits until a change that a worker has answered is known to whoever answers lookups. */
@FunctionalInterface
public interface Barrier {

  /** What is known in the end. */
  AppliedRetMsg await(WorkerId worker, long epoch, long sequence)
      throws ClientException, InterruptedException;
}
