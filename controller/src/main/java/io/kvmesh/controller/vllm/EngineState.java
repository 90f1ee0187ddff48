package io.kvmesh.controller.vllm;

/** How it stands between this controller and an engine. */
public enum EngineState {
  /** Another controller follows it. */
  ELSEWHERE,
  /** The log isn't read far enough to know what it says of the engine. */
  WAITING,
  /** A worker of another kind has the engine's name. */
  CONFLICT,
  /** There is no connection to it. */
  UNREACHABLE,
  /** What was missed is asked for. */
  CATCHING_UP,
  /** Its events are on the log as they come. */
  FOLLOWING
}
