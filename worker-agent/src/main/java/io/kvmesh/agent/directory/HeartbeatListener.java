package io.kvmesh.agent.directory;

/** Hears what the controllers say in answer to a heartbeat. */
public interface HeartbeatListener {

  /** A view isn't sure of what this worker holds. */
  void snapshotWanted(String reason);

  /** A view holds this epoch of this worker. */
  void epochSeen(long epoch);
}
