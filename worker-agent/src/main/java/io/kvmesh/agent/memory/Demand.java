package io.kvmesh.agent.memory;

/** How much something is asked for that the system may not grant. */
public enum Demand {
  /** It isn't asked for. */
  OFF,
  /** Without it the arena is of use too. */
  WANTED,
  /** Without it there is no arena. */
  REQUIRED
}
