package io.kvmesh.common.wire.directory;

import java.util.List;

/** The holders found; {@link PeerLayout#MISS} alone if there is none. */
public record BatchedP2PLookupRetMsg(List<PeerLayout> layoutInfo) implements DirectoryReply {

  /** Copies the collections. */
  public BatchedP2PLookupRetMsg {
    layoutInfo = List.copyOf(layoutInfo);
  }
}
