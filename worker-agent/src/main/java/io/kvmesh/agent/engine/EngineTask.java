package io.kvmesh.agent.engine;

/**
 * A request at work for a session, on a thread of its own. The door's thread alone.
 *
 * @param caller who waits for its reply
 * @param session whose end ends it
 * @param leaseId to which it adds; 0 = a new one
 * @param setAside chunks of the session's share that are kept free for it
 */
record EngineTask(EngineCaller caller, EngineSession session, long leaseId, int setAside) {

  static EngineTask of(EngineCaller caller, EngineSession session, long leaseId) {
    return new EngineTask(caller, session, leaseId, 0);
  }
}
