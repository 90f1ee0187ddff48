package io.kvmesh.common.wire.directory;

import io.kvmesh.common.wire.AsArray;

/** A holder of a prefix of chunks, by count. An array of four on the wire. */
@AsArray
public record PeerLayout(String instanceId, String location, int numHitChunks, String peerInitUrl) {

  /** What LMCache answers when nobody holds the first chunk. */
  public static final PeerLayout MISS = new PeerLayout("", "", 0, "");
}
