package io.kvmesh.agent.control;

/** What happens at the door for commands. */
public enum ControlCount {
  /** The cache was cleared. */
  CLEAR,
  /** Chunks were pinned. */
  PIN,
  /** Pins were taken off. */
  UNPIN,
  /** A move was begun. */
  MOVE,
  /** Chunks were begun to be compressed. */
  COMPRESS,
  /** Chunks were begun to be decompressed. */
  DECOMPRESS,
  /** A prefetch was begun. */
  PREFETCH,
  /** A drain was begun. */
  DRAIN,
  /** This agent was told that it stays. */
  UNDRAIN,
  /** A prefetch or a drain was told to end. */
  CANCEL,
  /** This agent was asked how far a move, a prefetch or a drain is. */
  CHECK,
  /** This agent was asked how it is. */
  HEALTH,
  /** Peers were begun to be tried. */
  REACH,
  /** A command that this agent doesn't know or can't do. */
  UNSUPPORTED,
  /** A command that failed here. */
  FAILED,
  /** A frame that is no message, or none of those that are expected. */
  BAD_FRAME,
  /** A reply could neither be routed nor queued. */
  REPLY_LOST
}
