package io.kvmesh.agent.directory;

/** What happens between this agent and the controllers. */
public enum DirectoryCount {
  /** A question that found a holder. */
  FOUND,
  /** A question that found none. */
  MISS,
  /** A question that was refused. */
  REJECTED,
  /** A question that no controller could answer yet. */
  NOT_READY,
  /** A question that reached no controller. */
  UNAVAILABLE,
  /** A question that nobody answered in time. */
  TIMED_OUT,
  /** A lookup that was answered from what is remembered of earlier answers. */
  CACHE_HIT,
  /**
   * A lookup whose chunks were remembered, but for too long or of a former life of their holder.
   */
  CACHE_STALE,
  /** A lookup that what is remembered doesn't answer. */
  CACHE_MISS,
  /** Another controller was asked because one was silent, away or not ready. */
  MOVED_ON,
  /** A heartbeat that was answered. */
  HEARTBEAT,
  /** A heartbeat that no controller answered. */
  HEARTBEAT_FAILED,
  /** A controller asked for a snapshot. */
  SNAPSHOT_WANTED,
  /** A connection to a controller went away. */
  CONNECTION_LOST,
  /** An answer that nobody waits for. */
  FOREIGN_REPLY,
  /** A frame that is no message, or none of those that are expected. */
  BAD_FRAME
}
