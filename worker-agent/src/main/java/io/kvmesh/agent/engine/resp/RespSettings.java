package io.kvmesh.agent.engine.resp;

import java.time.Duration;

/**
 * What clients of the door may do.
 *
 * @param username of the only user
 * @param password empty = nobody must say who they are
 * @param maxBodyBytes who announces a longer value is cut off
 * @param maxArguments who announces more for one request is cut off
 * @param pairs bounds of the halves of pairs
 */
public record RespSettings(
    String username, String password, long maxBodyBytes, int maxArguments, Pairs pairs) {

  /**
   * How halves of pairs wait for their other halves.
   *
   * @param maxHalves so many may wait; the oldest give way
   * @param maxHeldBytes of memory that may wait; the oldest give way, but one may always wait
   * @param maxWait after which a half is dropped
   */
  public record Pairs(int maxHalves, long maxHeldBytes, Duration maxWait) {}

  /** Without the password. */
  @Override
  public String toString() {
    return "RespSettings[username=%s]".formatted(username);
  }
}
