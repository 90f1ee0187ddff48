package io.kvmesh.agent.drain;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A drain that is to be made.
 *
 * @param id by which it is asked for later
 * @param target address of the one that gets the chunks; null = those that controllers name
 * @param atMost how long
 * @param bytes that may be at targets when it ends
 */
public record DrainOrder(String id, @Nullable String target, Duration atMost, long bytes) {

  /** As much as the time allows, to those that controllers name. */
  static DrainOrder ofAll(String id, Duration atMost) {
    return new DrainOrder(id, null, atMost, Long.MAX_VALUE);
  }
}
