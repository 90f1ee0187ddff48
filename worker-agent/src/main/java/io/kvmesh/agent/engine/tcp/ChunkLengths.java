package io.kvmesh.agent.engine.tcp;

/**
 * For how many tokens a body stands of which only the length is known.
 *
 * @param fullBytes length of a full chunk
 * @param fullTokens tokens of it
 */
public record ChunkLengths(int fullBytes, int fullTokens) {

  int tokens(int bytes) {
    return Math.clamp(Math.ceilDiv((long) bytes * fullTokens, fullBytes), 1, fullTokens);
  }
}
