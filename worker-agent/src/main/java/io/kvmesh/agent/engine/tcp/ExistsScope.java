package io.kvmesh.agent.engine.tcp;

/** Where a chunk may be that exists. */
public enum ExistsScope {
  /** In this agent. */
  LOCAL,
  /** In this agent, or in one from which it would be pulled. */
  FLEET
}
