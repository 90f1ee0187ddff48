package io.kvmesh.controller.lookup;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for holders.
 *
 * @param worker the asker; its instance is never offered. Null for an asker outside of the fleet
 * @param keyspace of the chunks asked for; decides whether agents or foreign workers are offered
 */
public record Requester(@Nullable WorkerId worker, Keyspace keyspace) {

  /** An agent, which tells the keyspace. */
  public static Requester agent(WorkerId worker, Keyspace keyspace) {
    return new Requester(worker, keyspace);
  }

  /** A foreign worker: it tells its rank alone. */
  public static Requester foreign(WorkerId worker) {
    return new Requester(worker, Keyspace.foreign(worker.rank()));
  }

  /** Somebody who is no worker, such as an operator. */
  public static Requester outside(Keyspace keyspace) {
    return new Requester(null, keyspace);
  }

  boolean isInstance(String instanceId) {
    return worker != null && worker.instanceId().equals(instanceId);
  }
}
