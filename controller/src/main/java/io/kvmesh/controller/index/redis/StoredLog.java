package io.kvmesh.controller.index.redis;

import java.util.Map;

/**
 * How far the durable view is.
 *
 * @param topic id of the topic that it is made of; empty = it holds nothing
 * @param life of what Redis holds: another one after all of it was lost
 * @param next of each partition the offset up to which all records have been applied
 */
public record StoredLog(String topic, String life, Map<Integer, Long> next) {

  /** Copies the map. */
  public StoredLog {
    next = Map.copyOf(next);
  }
}
