package io.kvmesh.common.wire.directory;

import java.util.List;

/**
 * Who could take chunks.
 *
 * @param targets addresses of their init ports, the best first
 * @param elsewhere indexes of the hashes that need not be handed over, as another worker has them
 */
public record DrainRetMsg(List<String> targets, List<Integer> elsewhere) implements DirectoryReply {

  /** Copies the collections. */
  public DrainRetMsg {
    targets = List.copyOf(targets);
    elsewhere = List.copyOf(elsewhere);
  }
}
