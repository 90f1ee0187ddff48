package io.kvmesh.agent.directory;

/**
 * A peer that holds chunks.
 *
 * @param instanceId whose it is
 * @param location in which of its memories
 * @param chunks of the prefix that it holds, at least 1
 * @param peerAddress host:port of its init port
 * @param epoch of its life
 */
public record Holder(
    String instanceId, String location, int chunks, String peerAddress, long epoch) {

  /** What a controller says that doesn't tell epochs. */
  static final long UNKNOWN_EPOCH = -1;

  /** The same peer with another prefix. */
  Holder withChunks(int other) {
    return new Holder(instanceId, location, other, peerAddress, epoch);
  }
}
